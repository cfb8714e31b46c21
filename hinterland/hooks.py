"""What page hooks are built on; `hinterland.hooks` is also the entry-point group of plug-in hooks."""

from hinterland.crawler.parsing.extraction.hooks import Hook, HookPage

__all__ = ["Hook", "HookPage"]
