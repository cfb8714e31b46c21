"""What pages are called, as somebody would type it: titles without the name of their site, and their weights. Pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import log1p, log2
from typing import Final

from crawler.apps.search.suggestions import MOST_CHARACTERS

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
"""What headings and titles end with, and is no part of them: signs to link to them by."""
_SEPARATOR: Final = re.compile(r"\s+(?:[—–|·»:]|::|-{1,2})\s+")


class Phrases:
    """Phrases with their weights, as they come."""

    def __init__(self) -> None:
        self.weights: defaultdict[str, float] = defaultdict(float)

    def add(self, text: str, kind: float, rank: float, pages: int = 1) -> None:
        """kind: one of the weights above; rank: of the page, in multiples of the average; pages: that call it so."""
        phrase = " ".join(text.split()).rstrip(_MARKS)
        if _LEAST_CHARACTERS <= len(phrase) <= MOST_CHARACTERS and phrase.isprintable():
            self.weights[phrase] += kind * (_LEAST + log1p(rank)) * (1 + log2(pages))


def common_parts(titles: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """(host, part) of the parts that many titles of a host begin or end with, such as the name of the site.

    titles: (host, title).
    """
    ends, pages = Counter[tuple[str, str]](), Counter[str]()
    for host, title in titles:
        pages[host] += 1
        parts = _SEPARATOR.split(title)
        if len(parts) > 1:
            ends.update({(host, parts[0]), (host, parts[-1])})
    return {end for end, count in ends.items() if count >= max(_FEW_PAGES, _SHARE * pages[end[0]])}


def own_title(host: str, title: str, common: set[tuple[str, str]]) -> str:
    """A title without the parts that many of its host have at their ends, if anything is left."""
    parts = [part for part in _SEPARATOR.split(title) if part]
    if len(parts) < 2:
        return title
    own = [part for part in parts if (host, part) not in common]
    if not own or len(own) == len(parts):
        return title
    begin, end = title.index(own[0]), title.rindex(own[-1]) + len(own[-1])
    return title[begin:end]
