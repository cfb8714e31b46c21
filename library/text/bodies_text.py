"""Which page bodies a crawl keeps, in words."""

from __future__ import annotations

from hinterland.crawler.settings import StorageSettings


def bodies_note(settings: StorageSettings) -> str:
    """Return a note that says which bodies a crawl will keep; "" if it will keep all."""
    if settings.keep_bodies:
        return ""
    others = "--set storage.keep_bodies=true stores all of them"
    if not settings.keep_bodies_mb:
        return (
            f"page bodies are not stored, but `extract` and cached pages need them; {others}, also in a later `recrawl`"
        )
    return f"page bodies are stored until the store has {settings.keep_bodies_mb} MB (storage.keep_bodies_mb); {others}"
