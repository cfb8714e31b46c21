"""Divides the main content of a page into sections by headings, and finds the section that answers a query. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hinterland.search.phrases import without_marks

MOST_SECTIONS: Final = 500
"""Only this many headings of a page, from the first on, begin a section."""
_LONGEST_HEADING: Final = 300
_MOST_PLACES: Final = 20
"""How many blocks equal to a heading are tried as its place, from the last on: a page may have `Example` a hundred
times.
"""
_BREAK: Final = re.compile(r"\n[^\S\n]*\n\s*")

_IN_HEADING: Final = 8.0
"""How much a word counts in a heading, compared with 1 in the text below."""
_ABOVE: Final = 1.0
"""How much a word counts in a heading of a section above."""
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
    """Return sections in the form in which the index stores them: JSON, or "" for none."""
    return json.dumps(sections, ensure_ascii=False, separators=(",", ":")) if sections else ""


def from_stored(stored: str) -> tuple[Section, ...]:
    """Return the sections from the text that `as_stored` returned."""
    return tuple(map(Section._make, json.loads(stored))) if stored else ()


def sections_of(text: str, headings: Sequence[tuple[int, str, str]]) -> tuple[Section, ...]:
    """Return the sections of a main content; `headings` are (level, text, anchor) of the page in their order.

    As many headings as possible are matched with blocks of the text, in their order. If several matches are possible,
    the last blocks are taken, because a table of contents may have the same words before.
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
    """Return the number of the section that answers a query best; None if the beginning of the text does.

    `words` are the beginnings of the query's words as returned by `folded_word`, with their weights. The beginning of
    the text is compared like a section whose heading is the page's title. A first heading of the highest level belongs
    to the beginning, since it names the page, and a link to the page is better than a link to this heading.
    """
    named = bool(sections) and all(each.level > sections[0].level for each in sections[1:])
    parts = [each for each in sections[named:] if each.offset < _MOST_READ]
    if not parts or not words:
        return None
    lead = f"{title} {sections[0].heading}" if named else title
    counts = _Counts(folded_text(text[:_MOST_READ]), parts)
    scores, in_headings, folded_lead = defaultdict[int, float](float), Counter[int](), folded_text(lead)
    for word, weight in words.items():
        counted, headings = counts.of_word(word, is_in_lead=_is_in(word, folded_lead))
        in_headings.update(headings)
        for section, score in counts.scored(counted, weight):
            scores[section] += score
    for section, having in in_headings.items():
        if section:
            size = max(len(_WORD.findall(parts[section - 1].heading)), having)
            scores[section] += _LIKE_HEADING * (having / size) * (having / len(words))
    best = max(sorted(scores), key=scores.__getitem__, default=0)
    return None if scores[best] <= scores[0] else best - 1 + named


def folded_word(word: str) -> str:
    """Return the letters with which all forms of a stemmed word begin.

    This is the stem, without its last letter if stemming may have changed this letter.
    """
    folded = folded_text(word)
    return folded[:-1] if len(folded) > _LEAST_STEM and folded[-1] in _CHANGED else folded


_LEAST_STEM: Final = 3
_CHANGED: Final = "iy"


class _Counts:
    """Counts words by section. Section 0 is the beginning of the text. Sections without the word take no time."""

    def __init__(self, text: str, sections: Sequence[Section]) -> None:
        self._text = text
        self._sections = sections
        self._begins = [0, *(each.offset for each in sections)]
        self._sizes = [max(end - at, _LEAST_LENGTH) for at, end in pairwise([*self._begins, len(text)])]
        self._usual = sum(self._sizes) / len(self._sizes)

    def of_word(self, word: str, *, is_in_lead: bool) -> tuple[Mapping[int, float], set[int]]:
        """Return the weighted count of a word in each section that has it, and the sections whose headings have it."""
        counts, headings = defaultdict[int, float](float), {0} if is_in_lead else set[int]()
        for at in _places(word, self._text):
            section = bisect_right(self._begins, at) - 1
            counts[section] += 1
            if section and at < self._begins[section] + len(self._sections[section - 1].heading):
                headings.add(section)
        for section in set[int]().union(*(self._below(each) for each in headings if each)):
            counts[section] += _ABOVE
        for section in headings:
            counts[section] += _IN_HEADING
        return counts, headings

    def _below(self, section: int) -> range:
        """Return the subsections of a section, as the range of following sections with deeper headings."""
        end, level = section, self._sections[section - 1].level
        while end < len(self._sections) and self._sections[end].level > level:
            end += 1
        return range(section + 1, end + 1)

    def scored(self, counts: Mapping[int, float], weight: float) -> Iterator[tuple[int, float]]:
        """Yield each section with its BM25 score for a word, given the word's counts by section.

        The rarity of the word is its rarity among the sections of the page.
        """
        every = len(self._sizes)
        rarity = weight * log(1 + (every - len(counts) + 0.5) / (len(counts) + 0.5))
        for section, count in counts.items():
            norm = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * self._sizes[section] / self._usual)
            yield section, rarity * count / (count + norm)


def _is_in(word: str, text: str) -> bool:
    return bool(_places(word, text))


def _places(word: str, text: str) -> list[int]:
    """Return the offsets of words in a folded text that begin with `word`, at most the first _MOST_COUNTED."""
    found, at = list[int](), text.find(word)
    needs_no_space = not word[:1].isalnum() or word[:1] >= _WITHOUT_SPACES
    for _ in range(_MOST_COUNTED):
        if at < 0:
            break
        if needs_no_space or at == 0 or not text[at - 1].isalnum():
            found.append(at)
        at = text.find(word, at + len(word))
    return found


_WITHOUT_SPACES: Final = "\u0e00"
"""Scripts from here on, except some that are rare, have no spaces between words."""


def folded_text(text: str) -> str:
    """Return the text in lower case and without accents, with each letter at its old offset.

    Punctuation outside ASCII becomes spaces, so that most English texts are pure ASCII, which is searched faster.
    """
    if text.isascii():
        return text.lower()
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    folded = _folded_letters()[letters]
    if folded.max() < _ASCII:
        return folded.astype(np.uint8).tobytes().decode("ascii")
    return folded.tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _folded_letters() -> NDArray[np.uint32]:
    """Return the folded form of each letter, as a lookup table; it takes a fifth of the time of `str.lower`."""
    table = np.arange(0x110000, dtype=np.uint32)
    table[0x41:0x5B] += 0x20
    for first, last in _WITH_CAPITALS:
        for letter in range(first, last + 1):
            lower = chr(letter).lower()[0]  # of two for İ
            base = unicodedata.normalize("NFKD", lower)[0] if letter <= _LAST_ACCENT else lower
            table[letter] = ord(base if base.isalpha() else " " if letter in _SIGNS and not lower.isalnum() else lower)
    table[ord("ς")] = ord("σ")
    return table


_ASCII: Final = 0x80
_WITH_CAPITALS: Final = ((_ASCII, 0x2D2F), (0xA640, 0xA7FF), (0xFF21, 0xFF3A))
_LAST_ACCENT: Final = 0x1FFF
_SIGNS: Final = frozenset((*range(_ASCII, 0xC0), *range(0x2000, 0x2C00)))


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
    """Return the longest list of pairs (number, place) in which both ascend and each place is in places[number].

    If several lists are longest, the list with the last places is chosen (Hunt & Szymanski 1977, from the end).
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
