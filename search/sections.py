"""The sections of a page: where its headings stand in the main content, and which section answers a query. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import Final, NamedTuple

from hinterland.search.phrases import without_marks

MOST_SECTIONS: Final = 500
"""Only so many first headings of a page begin a section."""
_LONGEST_HEADING: Final = 300
_MOST_PLACES: Final = 20
"""The last blocks equal to a heading that are tried as its place, because a page may have a hundred `Example`."""
_BREAK: Final = re.compile(r"\n[^\S\n]*\n\s*")

_IN_HEADING: Final = 8.0
"""How many times a word counts if the heading has it, compared with once in the text below."""
_ABOVE: Final = 1.0
"""The same for the headings above that one."""
_LIKE_HEADING: Final = 0.5
"""What is added to a section whose heading has all words of the query and no others."""
_WORD: Final = re.compile(r"\w+")
_SATURATION: Final = 1.0
_BY_LENGTH: Final = 0.5
"""BM25's k1 and b, with sections in place of documents (DIGEST: Robertson & Zaragoza 2009)."""
_LEAST_LENGTH: Final = 400
"""Shorter sections count as this long, in characters."""
_MOST_READ: Final = 128_000
"""How many characters of a page are searched for the best section."""
_MOST_COUNTED: Final = 200
"""How many occurrences of a word are counted."""


class Section(NamedTuple):
    """A heading in the main content of a page; its section reaches to the next heading of any level."""

    offset: int
    """Where the heading begins in the main content."""
    level: int
    """From 1 to 6."""
    heading: str
    anchor: str = ""
    """What follows "#" in a URL that leads to it; "" if nothing leads there."""


def as_stored(sections: Sequence[Section]) -> str:
    """Return sections in the form of the index: JSON, or "" for none."""
    return json.dumps(sections, ensure_ascii=False, separators=(",", ":")) if sections else ""


def from_stored(stored: str) -> tuple[Section, ...]:
    """Return the sections that `as_stored` made a text of."""
    return tuple(Section(*each) for each in json.loads(stored)) if stored else ()


def sections_of(text: str, headings: Sequence[tuple[int, str, str]]) -> tuple[Section, ...]:
    """Return the sections of a main content; `headings` are (level, text, anchor) of the page in their order.

    As many headings as possible are found in the text, in their order. If there are several ways, the last blocks are
    taken, because a table of contents has the same words before.
    """
    wanted = [(level, _name(heading), anchor) for level, heading, anchor in headings[:MOST_SECTIONS]]
    names = {name for _, name, _ in wanted if name}
    places = defaultdict[str, list[int]](list)
    if names:
        for offset, block in _blocks(text):
            if len(block) <= _LONGEST_HEADING and (name := _name(block)) in names:
                places[name].append(offset)
    chain = _last_chain([places.get(name, [])[-_MOST_PLACES:] for _, name, _ in wanted])
    return tuple(Section(offset, wanted[number][0], wanted[number][1], wanted[number][2]) for number, offset in chain)


def best_section(text: str, sections: Sequence[Section], title: str, words: Mapping[str, float]) -> int | None:
    """Return which section of a text a query is best answered by; None if that is its beginning, or no section.

    `words` are the beginnings of the query's words, folded as by `folded_word`, with their weights. The beginning,
    which the page's title names, is compared like a section. So is a first heading of the highest level: it names the
    page, and a link to the page is better than one to it.
    """
    named = bool(sections) and all(each.level > sections[0].level for each in sections[1:])
    parts = [each for each in sections[named:] if each.offset < _MOST_READ]
    if not parts or not words:
        return None
    lead = f"{title} {sections[0].heading}" if named else title
    counts = _Counts(_folded(text[:_MOST_READ]), parts)
    counted = [counts.of_word(word, is_in_lead=_is_in(word, _folded(lead))) for word in words]
    scores = _scores(counted, counts.sizes, list(words.values()))
    for number, (each, having) in enumerate(zip(parts, counts.in_headings[1:], strict=True), 1):
        size = max(len(_WORD.findall(each.heading)), having, 1)
        scores[number] += _LIKE_HEADING * (having / size) * (having / len(words))
    best = max(range(len(scores)), key=scores.__getitem__)
    return None if best == 0 else best - 1 + named


def folded_word(word: str) -> str:
    """Return the beginning that all forms of a stemmed word have: stemming may have changed its last letter."""
    folded = _folded(word)
    return folded[:-1] if len(folded) > _LEAST_STEM and folded[-1] in _CHANGED else folded


_LEAST_STEM: Final = 3
_CHANGED: Final = "iy"


class _Counts:
    """Counts words by section. The first section is the beginning of the text."""

    def __init__(self, text: str, sections: Sequence[Section]) -> None:
        self._text = text
        self._begins = [0, *(each.offset for each in sections)]
        self._headings = [0, *(each.offset + len(each.heading) for each in sections)]
        self._above = _above(sections)
        self.in_headings = [0] * len(self._begins)
        self.sizes = [max(end - at, _LEAST_LENGTH) for at, end in pairwise([*self._begins, len(text)])]

    def of_word(self, word: str, *, is_in_lead: bool) -> list[float]:
        """Return how much each section has of a word."""
        has_heading = [is_in_lead] + [False] * len(self._above)
        counts = [0.0] * len(self._begins)
        for at in _places(word, self._text):
            section = bisect_right(self._begins, at) - 1
            counts[section] += 1
            if at < self._headings[section]:
                has_heading[section] = True
        self.in_headings = [count + is_in for count, is_in in zip(self.in_headings, has_heading, strict=True)]
        for section, above in enumerate(self._above, 1):
            if any(has_heading[each] for each in above):
                counts[section] += _ABOVE
        return [count + _IN_HEADING * is_in for count, is_in in zip(counts, has_heading, strict=True)]


def _above(sections: Sequence[Section]) -> list[tuple[int, ...]]:
    """Return for each section the sections whose headings are above its own; 1 is the first section."""
    found, open_ones = list[tuple[int, ...]](), list[int]()
    for number, each in enumerate(sections, 1):
        while open_ones and sections[open_ones[-1] - 1].level >= each.level:
            open_ones.pop()
        found.append(tuple(open_ones))
        open_ones.append(number)
    return found


def _scores(counted: Sequence[Sequence[float]], sizes: Sequence[int], weights: Sequence[float]) -> list[float]:
    """Return BM25 of each section; `counted` are the counts of each word by section.

    The rarity of a word is that among the sections of the page.
    """
    usual = sum(sizes) / len(sizes)
    norms = [_SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * size / usual) for size in sizes]
    scores = [0.0] * len(sizes)
    for counts, weight in zip(counted, weights, strict=True):
        having = sum(1 for count in counts if count)
        rarity = weight * log(1 + (len(sizes) - having + 0.5) / (having + 0.5))
        for section, count in enumerate(counts):
            if count:
                scores[section] += rarity * count / (count + norms[section])
    return scores


def _is_in(word: str, text: str) -> bool:
    return next(_places(word, text), None) is not None


def _places(word: str, text: str) -> Iterator[int]:
    """Yield where words that begin like `word` are in a folded text; the first _MOST_COUNTED."""
    at, needs_no_space = text.find(word), not word[:1].isalnum() or word[:1] >= _WITHOUT_SPACES
    for _ in range(_MOST_COUNTED):
        if at < 0:
            return
        if needs_no_space or at == 0 or not text[at - 1].isalnum():
            yield at
        at = text.find(word, at + len(word))


_WITHOUT_SPACES: Final = "\u0e00"
"""Scripts from here on, except some that are rare, have no spaces between words."""


def _folded(text: str) -> str:
    """Return the text in lower case and without accents, each letter at its place."""
    lower = text.replace("İ", "i").lower()  # it is two letters in lower case
    for letter in set(_WITH_ACCENT.findall(lower)):
        lower = lower.replace(letter, _PLAIN.get(letter, letter))
    return lower


def _plain_letters() -> dict[str, str]:
    table = {}
    for letter in map(chr, range(ord(_FIRST), ord(_LAST) + 1)):
        base = unicodedata.normalize("NFKD", letter)[0]
        if base != letter and base.isalpha():
            table[letter] = base
    return table


_FIRST, _LAST = "\u00c0", "\u1fff"
_WITH_ACCENT: Final = re.compile(f"[{_FIRST}-{_LAST}]")
_PLAIN: Final = _plain_letters()


def _name(heading: str) -> str:
    return without_marks(" ".join(heading.split()))


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, block) for the parts of a text between empty lines."""
    begin = 0
    for space in _BREAK.finditer(text):
        if space.start() > begin:
            yield begin, text[begin : space.start()]
        begin = space.end()
    if begin < len(text):
        yield begin, text[begin:]


def _last_chain(places: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return the longest list of (number, place), both ascending, with places[number] holding each place.

    Of several, that with the last places is chosen (Hunt & Szymanski 1977, from the end).
    """
    ends = list[int]()  # the negated place at the end of the best chain of each length
    links = list[tuple[int, int, int]]()  # number, place, link before
    last = list[int]()  # the link at the end of the best chain of each length
    for number in range(len(places) - 1, -1, -1):
        for place in places[number]:  # ascending, so that no two of one number are in a chain
            at = bisect_left(ends, -place)
            if at < len(ends) and ends[at] == -place:
                continue
            links.append((number, place, last[at - 1] if at else -1))
            ends[at : at + 1] = [-place]
            last[at : at + 1] = [len(links) - 1]
    found, link = list[tuple[int, int]](), last[-1] if last else -1
    while link >= 0:
        number, place, link = links[link]
        found.append((number, place))
    return found
