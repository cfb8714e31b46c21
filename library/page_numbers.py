"""Finds pages of a store by URLs in the form in which people and programs write them."""

from __future__ import annotations

from hinterland.crawler.settings import Settings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.reading.reader import StoreReader


def number_of(url: str, store: StoreReader) -> int | None:
    """Return the number of the page with this URL, as written or in its canonical form; None if it is unknown."""
    number = store.pages.number_of(url)
    if number is None:
        stored = store.runs.last_settings()
        urls = (Settings() if stored is None else from_json(stored)).urls
        canonical = Canonicaliser.under(urls).canonical(url)
        number = store.pages.number_of(canonical) if canonical and canonical != url else None
    return number
