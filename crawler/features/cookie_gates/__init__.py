"""Passage through cookie gates, which show pages only to clients that send the site's cookie back."""
