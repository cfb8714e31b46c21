"""Reads pages of a store that serve as examples of a topic or as its background."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.features.topics.model.examples import Background, Example
from hinterland.crawler.features.topics.model.page_words import PageWordCounts, word_counts
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.storage.reading.reader import StoreReader

DRAWN: Final = 1_000
"""How many pages to draw from a store to learn a topic. More hardly improve the model and take longer."""
MOST_TITLED: Final = 400
_EXCERPT: Final = 700


@dataclass(frozen=True, slots=True, eq=False)
class StoredPage:
    """A page with its words. `excerpt` is the beginning of its text, by which people can judge it."""

    url: str
    host: str
    title: str
    headings: Sequence[str]
    excerpt: str
    words: PageWordCounts

    def as_example(self, *, is_about: bool) -> Example:
        """Return the page as an example of a page that is about the topic, or is not, as `is_about` says."""
        return Example(self.words, is_about, self.host, self.url)


def stored_page(store: StoreReader, number: int) -> StoredPage | None:
    """Return a fetched page, None if the store keeps no text of it."""
    text = store.pages.text(number)
    page = None if text is None else store.pages.page(number)
    if text is None or page is None or page.outcome != "fetched":
        return None
    title, headings = page.title or "", [heading for _, heading in text.headings]
    return StoredPage(
        page.url, page.host, title, headings, text.text[:_EXCERPT], word_counts(title, headings, text.text)
    )


def page_at(store: StoreReader, url: str) -> StoredPage | None:
    """Return the page of a URL, or the page that it redirects to; None if the store keeps no text of that page."""
    number = store.pages.number_of(Canonicaliser().canonical(url) or url)
    page = None if number is None else store.pages.page(number)
    if page is None:
        return None
    return stored_page(store, page.number if page.redirect_target is None else page.redirect_target.number)


def pages_at(store: StoreReader, urls: Iterable[str]) -> dict[str, StoredPage]:
    """Return the page of each URL, by URL; URLs whose pages have no text in the store are left out."""
    found = ((url, page_at(store, url)) for url in urls)
    return {url: page for url, page in found if page is not None}


def sampled_pages(store: StoreReader, most: int = DRAWN, seed: int = 0) -> list[StoredPage]:
    """Return a random sample of fetched pages with text, always the same for the same store and seed."""
    numbers = list(range(store.pages.count()))
    random.Random(seed).shuffle(numbers)
    found: list[StoredPage] = []
    for number in numbers:
        if len(found) >= most:
            break
        if (page := stored_page(store, number)) is not None:
            found.append(page)
    return found


def titled(store: StoreReader, words: Sequence[str], most: int = MOST_TITLED) -> list[StoredPage]:
    """Return pages with text whose titles or URLs contain some of the words; pages with the most words come first."""
    pages = (stored_page(store, number) for number in (store.pages.titled(words, most) if words else []))
    return [page for page in pages if page is not None]


def background_of(pages: Iterable[StoredPage]) -> Background:
    """Return these pages as the background of a topic."""
    pages = list(pages)
    return Background([page.words for page in pages], [page.host for page in pages])
