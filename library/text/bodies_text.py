"""Which page bodies a crawl keeps, in words."""

from __future__ import annotations

from hinterland.crawler.settings import StorageSettings


def bodies_note(settings: StorageSettings) -> str:
    """Return the note before a crawl begins; "" if all bodies are kept."""
    if settings.keep_bodies:
        return ""
    others = "--set storage.keep_bodies=true keeps all of them"
    if not settings.keep_bodies_mb:
        return f"page bodies are not kept, which `extract` and cached pages need; {others}, also with `recrawl` later"
    return f"page bodies are kept until the store has {settings.keep_bodies_mb} MB (storage.keep_bodies_mb); {others}"
