"""Queries for which links could be evidence, each with its one right answer. Pure.

Anchor texts are held out as somebody who has not linked yet would use them: a half of all that link, drawn by lot, is
taken out of the index with all of its links, and asked for what it calls pages. So rivals of the right answer lose as
much as that itself. Among links to pages of the same host it is folders that are drawn, among others hosts.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.known_items import draw_items, folder_of, query_words, why_not

KNOWN, TITLE, NAME, ENTRY, AMBIGUOUS = "known items", "titles of manuals", "projects", "entry pages", "ambiguous names"

LEAST_BELOW: Final = 10
"""A folder's front page is an entry if so many other documents lie below it."""
_MOST_ENTRIES: Final = 10
"""Of one host: javadoc has a front page for every package."""
LEAST_HOSTS: Final = 2
"""A name is ambiguous if the titles of documents of so many hosts have all of its words."""
_EDITIONS: Final = frozenset({"latest", "main", "master", "stable", "release", "trunk"})
_FRONTS: Final = frozenset({"", "index.html", "index.htm", "index.en.html", "package-summary.html"})


@dataclass(frozen=True, slots=True)
class LinkQuery:
    """kind: one of those above. host: of the answer. group: a part of the queries of its kind."""

    kind: str
    query: str
    page: int
    host: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """item: the page of the index that it leads to, or the target itself."""

    source: int
    target: int
    item: int
    words: str


class Linkers:
    """Who is held out. urls: of all pages, by number."""

    def __init__(self, urls: Sequence[str], seed: int = 0) -> None:
        self._seed = seed
        self._hosts = [url.split("/")[2] for url in urls]
        self._folders = [folder_of(url) for url in urls]
        self._drawn: dict[str, bool] = {}

    def host(self, page: int) -> str:
        return self._hosts[page]

    def is_inside(self, source: int, target: int) -> bool:
        return self._hosts[source] == self._hosts[target]

    def is_held_out(self, source: int, target: int) -> bool:
        """Whether the index must not know this link."""
        who = self._folders[source] if self.is_inside(source, target) else f"host {self._hosts[source]}"
        if who not in self._drawn:
            self._drawn[who] = half(self._seed, who)
        return self._drawn[who]


def half(seed: int, name: str) -> bool:
    """A half, at random."""
    return hashlib.blake2b(f"{seed} {name}".encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] < 128


def anchor_queries(
    links: Iterable[Link], linkers: Linkers, titles: Mapping[int, str], most: int, seed: int = 0
) -> list[LinkQuery]:
    """Known items, and ambiguous names, of those that are held out. links: with words that `why_not` leaves, to all
    pages of the domain. titles: of the documents of the index.

    A text that leads to more than one page is no query, a page gives one known item, by the strata and lots of
    `known_items`. Ambiguous names are texts of links from other hosts. group: the stratum, for ambiguous names whether
    the text stands "elsewhere", on a page that is not held out and leads to the same, or "nowhere else".
    """
    leads_to: dict[str, set[int]] = defaultdict(set)
    is_asked: dict[tuple[int, str], bool] = {}
    elsewhere: set[tuple[int, str]] = set()
    outside: set[tuple[int, str]] = set()
    for link in links:
        leads_to[link.words].add(link.item)
        pair = link.item, link.words
        if not linkers.is_held_out(link.source, link.target):
            elsewhere.add(pair)
        elif link.item in titles:
            is_asked[pair] = True
            if not linkers.is_inside(link.source, link.target):
                outside.add(pair)
    of_item: dict[int, list[str]] = defaultdict(list)
    for item, words in is_asked:
        if len(leads_to[words]) == 1:
            of_item[item].append(words)
    known = [
        LinkQuery(KNOWN, words, item, linkers.host(item), stratum)
        for item, words, stratum in draw_items(of_item, titles, most, seed)
    ]
    with_word = _by_word(titles)
    ambiguous = []
    for item, words in sorted(outside):
        together = set.intersection(*(with_word[word] for word in words.split()))
        if len(leads_to[words]) == 1 and len({linkers.host(page) for page in together}) >= LEAST_HOSTS:
            group = "elsewhere" if (item, words) in elsewhere else "nowhere else"
            ambiguous.append(LinkQuery(AMBIGUOUS, words, item, linkers.host(item), group))
    return known + ambiguous


def entry_queries(documents: Mapping[int, str], seed: int = 0) -> list[LinkQuery]:
    """The name of a folder, asked for its front page. documents: page -> URL.

    Only folders with many documents below, and with a name of letters that no other front page has.
    """
    below: dict[str, int] = defaultdict(int)
    fronts: dict[str, int] = {}
    for page, url in documents.items():
        folder = folder_of(url)
        if url.partition("?")[0].rpartition("/")[2] in _FRONTS:
            fronts[folder] = page
        while "/" in folder:
            below[folder] += 1
            folder = folder.rpartition("/")[0]
    by_name: dict[str, list[str]] = defaultdict(list)
    for folder in fronts:
        name = query_words(folder.rpartition("/")[2].replace("_", " ").replace("-", " "))
        if "/" in folder and name.replace(" ", "").isalpha() and name not in _EDITIONS and not why_not(name):
            by_name[name].append(folder)
    of_host: dict[str, list[LinkQuery]] = defaultdict(list)
    for name, folders in by_name.items():
        if len(folders) == 1 and below[folders[0]] > LEAST_BELOW:
            host = folders[0].partition("/")[0]
            of_host[host].append(LinkQuery(ENTRY, name, fronts[folders[0]], host))
    found = []
    for queries in of_host.values():
        queries.sort(key=lambda each: hashlib.blake2b(f"{seed} {each.query}".encode(), digest_size=8).digest())
        found += queries[:_MOST_ENTRIES]
    return found


def _by_word(titles: Mapping[int, str]) -> dict[str, set[int]]:
    """Word -> the documents with it in their title."""
    found: dict[str, set[int]] = defaultdict(set)
    for page, title in titles.items():
        for word in query_words(title).split():
            found[word].add(page)
    return found
