"""Decides whether the content of a page has changed since an earlier visit, apart from menus and other surroundings."""
