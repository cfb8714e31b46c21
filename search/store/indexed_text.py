"""The form in which a document is added to the term index."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log2
from typing import Final
from urllib.parse import unquote

from tantivy import Document

from hinterland.search.store.fields import (
    DATED,
    DOMAIN,
    FOLDERS,
    HOME,
    RELEVANCE,
    SPELLINGS,
    TYPE,
    UNSTEMMED,
    YEAR,
    IndexFields,
    spelt_in,
)
from hinterland.search.store.home_pages import home_depth, home_term, names_of_site
from hinterland.search.store.term_text import prepared
from hinterland.search.store.values.spellings import spellings, spellings_of
from hinterland.search.store.values.term_query import ANCHORS, NAMES, SITE_DEPTH, WORDS

_MOST_REPEATS: Final = 8
_IN_WORDS: Final = {"title": 4, "headings": 1, "anchors_outside": 1, "anchors_inside": 1, "url": 1, "body": 1}
"""How many times each text counts in the field of all words."""
_IN_NAMES: Final = {"title": 3, "headings": 1, "anchors_outside": 1, "anchors_inside": 1, "url": 1, "description": 1}
"""The same for the field of the texts that name a page."""
_OWN_FIELDS: Final = ("title", "rest")
_FILE_TYPE: Final = re.compile(r"\.[a-z]{3,5}$")


@dataclass(frozen=True, slots=True)
class IndexedText:
    """The searchable content of a document."""

    page: int
    fingerprint: int
    language: str
    fetched_at: float
    url: str
    host: str
    site: str
    texts: Sequence[tuple[str, str, int]]
    """(field, text, number of pages it occurs on, see `repeats`). Phrases do not match across texts."""
    names: Sequence[tuple[str, str]] = ()
    """(field, spelling) of identifiers besides those in the texts, see `spellings`."""
    words: Sequence[tuple[str, Iterable[str]]] = ()
    """(field, distinct words of its texts) for fields whose words are known already, because splitting a long text
    takes time.
    """
    type: str = "html"
    """The document type, such as "pdf"."""
    dated: float | None = None
    """The document's date in epoch seconds."""
    relevance: float | None = None
    """Relevance to the topic of the store."""
    languages: Sequence[str] = ()
    """The languages by which `lang:` finds it; if empty, its own language."""


def as_document(text: IndexedText, fields: IndexFields) -> Document:
    """Return the tantivy document."""
    document = Document()
    document.add_unsigned("page", text.page)
    document.add_unsigned("fingerprint", text.fingerprint)
    document.add_integer("fetched_at", int(text.fetched_at))
    for language in text.languages or (text.language,):
        document.add_text("language", language)
    for site in sites_of(text.url, text.host, text.site):
        document.add_text("site", site)
    document.add_text(DOMAIN, text.site)
    for field, place in zip(FOLDERS, places_of(text.url, text.host), strict=False):
        document.add_text(field, place)
    document.add_text(TYPE, text.type)
    if text.dated is not None:
        document.add_integer(DATED, int(text.dated))
        document.add_unsigned(YEAR, datetime.fromtimestamp(text.dated, UTC).year)
    if text.relevance is not None:
        document.add_unsigned(RELEVANCE, int(100 * text.relevance))
    in_url = prepared(_url_words(text.url))
    document.add_text("url", in_url)
    for field, ready, times in (("url", in_url, 1), *_prepared(text.texts)):
        for combined, weights in ((WORDS, _IN_WORDS), (NAMES, _IN_NAMES)):
            name = fields.name(combined, text.language)
            for _ in range(times * weights.get(field, 0)):
                document.add_text(name, ready)
        if field in _OWN_FIELDS:
            document.add_text(fields.name(field, text.language), ready)
    document.add_text(SPELLINGS, " ".join(_spelt(text)))
    if (depth := home_depth(text.url)) is not None:
        document.add_text(HOME, " ".join(home_term(depth, word) for word in _names_of_home(text, fields)))
    return document


def _prepared(texts: Iterable[tuple[str, str, int]]) -> Iterator[tuple[str, str, int]]:
    return ((field, prepared(words), repeats(weight)) for field, words, weight in texts)


def _names_of_home(text: IndexedText, fields: IndexFields) -> dict[str, None]:
    """Return the distinct words that name the site of a home page: the words of its URL and of its title."""
    titles = [words for field, words, _ in text.texts if field == "title"]
    return dict.fromkeys(fields.tokens(" ".join([names_of_site(text.url), *titles]), UNSTEMMED))


def _spelt(text: IndexedText) -> dict[str, None]:
    """Return the terms of all identifiers in each field, without duplicates."""
    found = dict.fromkeys(spelt_in(field, name) for field, name in text.names)
    page = _url_words(text.url)
    by_field = defaultdict(list, url=[page, _FILE_TYPE.sub("", page)])
    are_split = dict(text.words)
    for field, words, _ in text.texts:
        if field not in ANCHORS and field not in are_split:  # the names in anchors are given
            by_field[field].append(words)
    for field, texts in by_field.items():  # one pass over all headings takes a tenth of one for each
        found |= dict.fromkeys([spelt_in(field, name) for name in spellings("\n".join(texts))])
    for field, distinct in are_split.items():
        found |= dict.fromkeys([spelt_in(field, name) for name in spellings_of(distinct)])
    return found


def repeats(weight: int) -> int:
    """Return how many times to count a text that occurs on `weight` pages.

    Each further page adds less than the previous one.
    """
    return min(1 + int(log2(max(weight, 1))), _MOST_REPEATS)


def sites_of(url: str, host: str, site: str) -> list[str]:
    """Return all values of `site:` that find a page.

    They are its host, the domains above it, the folders of the URL, and the URL itself.
    """
    authority = host.partition("://")[2]
    name = authority.rpartition(":")[0] if authority.rpartition(":")[2].isdigit() else authority
    found = [authority, name]
    labels = name.split(".")
    found += [".".join(labels[start:]) for start in range(1, len(labels))]
    found = [each for each in found if each in (authority, name) or each == site or each.endswith(f".{site}")]
    for folder in places_of(url, "")[1:]:
        found += [start + folder for start in (authority, name)]
    return list(dict.fromkeys(found))


def places_of(url: str, host: str) -> list[str]:
    """Return the host with its port, then with one folder of the path, two folders, and so on up to SITE_DEPTH."""
    parts = url.partition("://")[2].partition("?")[0].rstrip("/").split("/")[1 : SITE_DEPTH + 1]
    return ["/".join([host.partition("://")[2], *parts[:depth]]) for depth in range(len(parts) + 1)]


def _url_words(url: str) -> str:
    return unquote(url.partition("://")[2])
