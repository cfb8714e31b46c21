"""What hooks on pages are made of; `hinterland.hooks` is also the group of the entry points that offer some."""

from hinterland.crawler.parsing.extraction.hooks import Hook, HookPage

__all__ = ["Hook", "HookPage"]
