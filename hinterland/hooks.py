"""The base of page hooks in plug-ins; `hinterland.hooks` is also their entry-point group."""

from hinterland.crawler.parsing.extraction.hooks import Hook, HookPage

__all__ = ["Hook", "HookPage"]
