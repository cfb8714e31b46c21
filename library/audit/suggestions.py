"""Suggests links that a site lacks: a page mentions another page of the site without linking to it."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray, Graph
from hinterland.analysis.pagerank import DAMPING, pagerank
from hinterland.distribution.extras import need
from hinterland.library.audit.audited_store import AuditedStore
from hinterland.library.audit.texts import main_texts
from hinterland.library.errors import StoreUnusable
from hinterland.storage.reading.opening import reading

MOST: Final = 20
_WORD: Final = re.compile(r"\w+(?:['’.+#-]\w+)*[+#]*")
_BETWEEN_PARTS: Final = re.compile(r"\s+[|\-–—·•»:]\s+")
_FEWEST_WORDS, _MOST_WORDS = 2, 10
_FEWEST_LETTERS: Final = 8
_COMMON: Final = 3
"""A part of a title that this many pages share names their site rather than a page."""
_TOLERANCE: Final = 1e-6

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link from a page to another page that it mentions.

    `words` is the mention, as in the text. `before` and `after` are the target's shares of the site's rank without and
    with all suggested links.
    """

    source: str
    target: str
    words: str
    before: float
    after: float


def names_of(titles: Mapping[int, str]) -> dict[Words, int]:
    """Return the names by which texts may mention pages, each with its page.

    A name is a part of a title that belongs to one page only. Parts that several titles share, such as the name of the
    site, are ignored, as are names of a single word or of few letters.
    """
    parts = {page: [_words(part) for part in _BETWEEN_PARTS.split(title)] for page, title in titles.items()}
    shared = Counter(part for found in parts.values() for part in set(found))
    named = defaultdict[Words, set[int]](set)
    for page, found in parts.items():
        own = [part for part in found if shared[part] < _COMMON]
        for name in own[:1]:
            if _FEWEST_WORDS <= len(name) <= _MOST_WORDS and sum(map(len, name)) >= _FEWEST_LETTERS:
                named[name].add(page)
    return {name: next(iter(pages)) for name, pages in named.items() if len(pages) == 1}


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.lower()))


class Mentions:
    """Finds mentions of names in texts. If several names begin at the same word, the longest counts."""

    def __init__(self, names: Mapping[Words, int]) -> None:
        """Take the names to look for, each with its page."""
        self._by_beginning = defaultdict[Words, list[tuple[Words, int]]](list)
        for name, page in sorted(names.items(), key=lambda each: -len(each[0])):
            self._by_beginning[name[:_FEWEST_WORDS]].append((name, page))

    def in_text(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield each page that a text mentions, with the words of the first mention."""
        found = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
        words = [word.lower() for word, _, _ in found]
        seen = set[int]()
        skip = 0
        for place, beginning in enumerate(itertools.pairwise(words)):
            if place < skip or beginning not in self._by_beginning:
                continue
            for name, page in self._by_beginning[beginning]:
                end = place + len(name)
                if tuple(words[place:end]) == name:
                    skip = end
                    if page not in seen:
                        seen.add(page)
                        yield page, text[found[place][1] : found[end - 1][2]]
                    break


def suggestions(store: str | Path, most: int = MOST) -> Sequence[Suggestion]:
    """Return the links that would bring most rank to important pages, the best first.

    The value of a link is the rank that it would carry, α rank / (links + 1) of its source, times the rank of its
    target. The rank of the target is the estimate for the whole web if the store has one, else that by the site's
    links.

    Raises MissingPackage, NoStore, and StoreUnusable for a store without texts.
    """
    need("rank", by="a suggestion, which weighs links by PageRank,")
    with reading(Path(store)) as reader:
        audited = AuditedStore(reader)
        if not audited.has_text:
            raise StoreUnusable(f"{store} keeps no texts; crawl with storage.keep_text = true")
        found = list(_mentions(audited))
        ranks, web = audited.site_ranks.ranks, audited.web_ranks
        importance = ranks if web is None else web.ranks
        carried = DAMPING * ranks / (audited.outdegrees + 1)
        found.sort(key=lambda each: (-carried[each[0]] * importance[each[1]], each))
        chosen = found[:most]
        after = _ranks_with(audited, chosen)
        urls = audited.urls_of([page for source, target, _ in chosen for page in (source, target)])
        return [
            Suggestion(urls[source], urls[target], words, float(ranks[target]), float(after[target]))
            for source, target, words in chosen
        ]


def _mentions(audited: AuditedStore) -> Iterator[tuple[int, int, str]]:
    """Yield (page, other page, words) whenever a page mentions another page of its host without linking to it."""
    documents, hosts = audited.documents, audited.pages.hosts
    pages = documents.pages.tolist()
    titles = {page: title for page, title in zip(pages, documents.titles, strict=True) if audited.is_indexable[page]}
    mentions = Mentions(names_of(titles))
    links, ends = audited.followed, audited.chains.ends
    is_linked = set(zip(links.sources.tolist(), links.targets.tolist(), strict=True))
    is_linked |= set(zip(links.sources.tolist(), ends[links.targets].tolist(), strict=True))
    for page, text in main_texts(audited.reader):
        for other, words in mentions.in_text(text):
            if other != page and hosts[other] == hosts[page] and (page, other) not in is_linked:
                yield page, other, words


def _ranks_with(audited: AuditedStore, chosen: Sequence[tuple[int, int, str]]) -> FloatArray:
    """Return the ranks of all pages, shape (n,), by the site's own links and the chosen links."""
    local = np.flatnonzero(audited.pages.is_local).astype(np.int32)
    graph = audited.graph.among(local)
    sources = np.searchsorted(local, [source for source, _, _ in chosen])
    targets = np.searchsorted(local, [target for _, target, _ in chosen])
    more = Graph.from_links(
        np.concatenate([graph.sources, sources]), np.concatenate([graph.targets, targets]), graph.page_count
    )
    ranks = np.zeros(audited.pages.count)
    if chosen:
        ranks[local] = pagerank(more, start=audited.site_ranks.ranks[local], tolerance=_TOLERANCE)
    return ranks
