"""Known-item queries from anchor texts: people have named a page by linking to it, so that is a query for it.

A query is the anchor text of links to one page of an index, and that page is its one right answer. Pure. The rules, all
of them fixed before any result was looked at:

- Links are those of `a` and `area` that are followed, from any crawled page to a page of the index, directly or over
  what is folded into it; not from a page to itself.
- The words of an anchor are lower-cased, and of its signs only those within words are kept.
- Anchors that are URLs or file names, that hold no letter, that have more than MOST_WORDS words, or that are words of
  navigation (NAVIGATION) are dropped. So are those that lead to more than one page of the domain (also to one that
  could not be fetched): such a query has no one right answer.
- So are those that begin with "next" or "previous": templates write them before the title of the neighbour.
- A page gives one query: the stratum (how many of its words are in the title: all, some, none) is drawn at random among
  those that the page has, then the anchor among those of the stratum. Of each stratum a corpus gives a third of as many
  as asked for, drawn at random, or all it has if that is fewer: anchors that repeat the title are common, and too easy
  to tell rankings apart.
- Left out of the index: every link to the page from any folder (host and path up to the last slash) in which one of the
  links stands that have the anchor of the query. That is each link with that anchor, and what its neighbours, which
  often come from the same template, say about the page.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MOST_WORDS: Final = 10
_LEAST_CHARACTERS: Final = 3
_NAVIGATION_WORDS: Final = """
also back backward begin bottom chapter class click code content contents copyright details
directory doc docs documentation download edit example examples extension extensions faq first
forward frames full general glossary go help here home homepage index info it jump last link links
list main menu module modules more navigation new next no notes of online original overview package
page parent permalink prev previous print read reference return search see show site sitemap skip
source src start summary table the this to toc top topic tree try up use uses version view web
website
"""
NAVIGATION: Final = frozenset(_NAVIGATION_WORDS.split())
"""Words that say where a link stands, not where it leads: an anchor of nothing else is dropped."""

_WORD: Final = re.compile(r"\w(?:[\w.+#'’/-]*[\w+#])?")
_SEQUENCE: Final = frozenset({"next", "prev", "previous"})
_URL: Final = re.compile(r"://|^www\.|\.(?:html?|php|xml|txt|pdf|zip|gz|png|jpe?g|gif|svg)$", re.IGNORECASE)
_TERM: Final = re.compile(r"\w+")

STRATA: Final = ("in title", "partly in title", "not in title")


@dataclass(frozen=True, slots=True)
class AnchorLink:
    """A link to a page of the domain. item: the page of the index it leads to, or the target itself."""

    source: int
    target: int
    item: int
    words: str
    folder: str


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query with its one right answer.

    stratum: of STRATA, how many of its words are in the title. is_outside: all its links are from other hosts than the
    page's. held_out: the links (source, target) that must not be in the index.
    """

    page: int
    query: str
    stratum: str
    is_outside: bool
    held_out: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """What was chosen. counts: what was dropped and why, in (page, anchor) pairs."""

    items: Sequence[KnownItem]
    counts: Mapping[str, int]


def query_words(anchor: str) -> str:
    """Return an anchor text as somebody would type it."""
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", anchor).lower()))


def folder_of(url: str) -> str:
    """Host and path up to the last slash."""
    return url.partition("://")[2].partition("?")[0].rpartition("/")[0]


def why_not(anchor: str) -> str:
    """Why an anchor text is no query; "" if it is one."""
    words = query_words(anchor)
    if _URL.search(anchor.strip()):
        return "URL or file name"
    if len(words) < _LEAST_CHARACTERS or not any(letter.isalpha() for letter in words):
        return "no word"
    if len(words.split()) > MOST_WORDS:
        return "too long"
    if set(_TERM.findall(words)) <= NAVIGATION or words.split()[0] in _SEQUENCE:
        return "navigation"
    return ""


def stratum_of(query: str, title: str) -> str:
    """Whether all, some or none of the words of a query are in a title."""
    words, in_title = set(_TERM.findall(query)), set(_TERM.findall(unicodedata.normalize("NFKC", title).lower()))
    if words <= in_title:
        return STRATA[0]
    return STRATA[1] if words & in_title else STRATA[2]


def known_items(
    links: Iterable[AnchorLink],
    reasons: Mapping[str, int],
    titles: Mapping[int, str],
    hosts: Mapping[int, str],
    most: int,
    seed: int = 0,
) -> Selection:
    """Choose queries. links: all those to the domain that `why_not` leaves. reasons: what it dropped.

    titles: of the pages of the index, and only of these. hosts: of all pages.
    """
    by_words: dict[str, set[int]] = defaultdict(set)
    by_item: dict[int, dict[str, list[AnchorLink]]] = defaultdict(lambda: defaultdict(list))
    every: dict[int, list[AnchorLink]] = defaultdict(list)
    for link in links:
        by_words[link.words].add(link.item)
        if link.item in titles:
            by_item[link.item][link.words].append(link)
            every[link.item].append(link)
    counts = Counter(reasons)
    usable_of = dict[int, list[str]]()
    for item, anchors in by_item.items():
        usable_of[item] = [words for words in anchors if len(by_words[words]) == 1]
        counts["leads to several pages"] += len(anchors) - len(usable_of[item])
        counts["usable"] += len(usable_of[item])
    drawn = draw_items(usable_of, titles, most, seed, counts)
    items = []
    for item, words, stratum in drawn:
        folders = {link.folder for link in by_item[item][words]}
        held_out = sorted({(link.source, link.target) for link in every[item] if link.folder in folders})
        is_outside = all(hosts[link.source] != hosts[link.target] for link in by_item[item][words])
        items.append(KnownItem(item, words, stratum, is_outside, tuple(held_out)))
    return Selection(items, counts)


def draw_items(
    usable: Mapping[int, Sequence[str]],
    titles: Mapping[int, str],
    most: int,
    seed: int,
    counts: Counter[str] | None = None,
) -> list[tuple[int, str, str]]:
    """Draw (page, query, stratum), one per page and a third of `most` per stratum.

    `usable` has the anchors of each page. The number of pages of each stratum is added to `counts`.
    """
    drawn: dict[str, list[tuple[int, str, str]]] = {stratum: [] for stratum in STRATA}
    for item, anchors in usable.items():
        if anchors:
            strata = {words: stratum_of(words, titles[item]) for words in anchors}
            chosen = min(set(strata.values()), key=lambda stratum: _random_number(seed, item, stratum))
            words = min(
                (each for each in anchors if strata[each] == chosen), key=lambda each: _random_number(seed, item, each)
            )
            drawn[chosen].append((item, words, chosen))
    for stratum, of_stratum in drawn.items():
        if counts is not None:
            counts[f"pages with a query {stratum}"] = len(of_stratum)
        of_stratum.sort(key=lambda each: _random_number(seed, each[0], "page"))
    return sorted(each for of_stratum in drawn.values() for each in of_stratum[: most // len(STRATA)])


def is_for_training(item: KnownItem, seed: int = 0) -> bool:
    """Return whether the page is in the random third that is used for training."""
    return _random_number(seed, item.page, "third") % 3 == 0


def _random_number(seed: int, page: int, words: str) -> int:
    content = f"{seed} {page} {words}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
