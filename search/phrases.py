"""Phrases for suggestions: page titles without the site's name, with weights. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from math import log1p, log2
from operator import itemgetter
from typing import Final

from hinterland.search.arranged_phrases import Sorter, Weighed
from hinterland.search.suggestions import folded

MOST_CHARACTERS: Final = 100
"""Maximum length of a phrase; nobody types longer queries."""

TITLE: Final = 1.0
LINK: Final = 0.5
NAME: Final = 0.5
HEADING: Final = 0.2
_LEAST: Final = 0.1
"""The weight of a title of a page without rank."""
_LEAST_CHARACTERS: Final = 3
_FEW_PAGES: Final = 5
_SHARE: Final = 0.1

_MARKS: Final = " :¶#§🔗→»"
"""Trailing characters of headings and titles that are not part of them, such as permalink signs."""
_BEFORE: Final = "◆ "
"""The sign that doxygen writes before the names of functions."""
_OVERLOAD: Final = re.compile(r"\s\[\d+/\d+\]$")
"""What doxygen writes after the name of each of several functions of one name: `[1/2]`."""
_SEPARATOR: Final = re.compile(r"\s+(?:[—–|·»:]|::|-{1,2})\s+")


def weighed(names: Iterable[tuple[str, float, float, int]]) -> Iterator[Weighed]:
    """Yield weighted phrases, given the names of pages.

    Each name is (text, weight of its kind, PageRank in multiples of the average, number of pages that use the name).
    The weight of its kind is TITLE, LINK, NAME or HEADING.
    """
    for number, (text, kind, rank, pages) in enumerate(names):
        phrase = without_marks(_OVERLOAD.sub("", " ".join(text.split()).lstrip(_BEFORE)))
        if _LEAST_CHARACTERS <= len(phrase) <= MOST_CHARACTERS and phrase.isprintable():
            weight = kind * (_LEAST + log1p(rank)) * (1 + log2(pages))
            yield folded(phrase), phrase, number, weight, kind == HEADING


def without_marks(name: str) -> str:
    """Return a heading or title without trailing signs that are not part of it, such as permalink signs."""
    return name.rstrip(_MARKS)


def common_parts(titles: Iterable[tuple[str, str]], in_order: Sorter) -> set[tuple[str, str]]:
    """Return (host, part) for the parts with which many titles of a host begin or end, such as the site's name.

    `titles` yields (host, title). At most twenty parts of a host are returned.
    """
    common = set[tuple[str, str]]()
    for host, of_host in groupby(in_order(_ends(titles)), itemgetter(0)):
        pages = 0
        for part, same in groupby(of_host, itemgetter(1)):
            count = sum(1 for _ in same)
            if not part:  # sorts first
                pages = count
            elif count >= max(_FEW_PAGES, _SHARE * pages):
                common.add((host, part))
    return common


def _ends(titles: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (host, "") for each title, and (host, part) for its first and last part."""
    for host, title in titles:
        yield host, ""
        parts = _SEPARATOR.split(title)
        if len(parts) > 1:
            yield from ((host, part) for part in {parts[0], parts[-1]} if part)


def own_title(host: str, title: str, common: set[tuple[str, str]]) -> str:
    """Return a title without its host's common parts at the ends, or the whole title if nothing would be left."""
    parts = [part for part in _SEPARATOR.split(title) if part]
    if len(parts) < 2:
        return title
    own = [part for part in parts if (host, part) not in common]
    if not own or len(own) == len(parts):
        return title
    begin, end = title.index(own[0]), title.rindex(own[-1]) + len(own[-1])
    return title[begin:end]
