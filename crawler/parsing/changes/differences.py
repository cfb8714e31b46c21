"""Finds the words of a page's content that are new or gone. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from hinterland.crawler.parsing.changes.noise import without_noise
from hinterland.crawler.parsing.changes.regions import RegionWords

_CONTEXT: Final = 6  # words
_MOST_COMPARED: Final = 100_000  # pairs of words
_LABEL: Final = 8  # words
_NEAR: Final = 4  # words
_RUN: Final = 3
"""Runs of this many words align the two versions if they occur exactly once in each."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that differs: old[old_start:old_end] became new[new_start:new_end]."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How many words of the content are new or gone.

    `share` is the number of these words divided by the number of all words of the content, old and new; at most 1.
    """

    words: int = 0
    share: float = 0.0

    @property
    def is_none(self) -> bool:
        """Whether the content is unchanged."""
        return not self.words


def difference(old: Sequence[str], new: RegionWords) -> Difference:
    """Return how the content changed; `old` holds the visible words of the earlier version.

    Noise and changes outside the content do not count. A removed passage belongs to the content if the words next to it
    do.
    """
    changed = 0
    for stretch in _stretches(passages(old, new.words)):
        first, last = stretch[0], stretch[-1]
        if _says_the_same(old[first.old_start : last.old_end], new.words[first.new_start : last.new_end]):
            continue
        for passage in filter(lambda each: _may_be_content(new.is_content, each), stretch):
            words = _changed_words(old, new.words, passage)
            changed += words if words > _least_words(new.is_content, passage) else 0
    if not changed:
        return Difference()
    content = sum(new.is_content)
    return Difference(changed, min(changed / max(2 * content, 1), 1.0))


def _stretches(found: Iterable[Passage]) -> Iterator[list[Passage]]:
    """Group passages that are separated by few words.

    Words that the two versions split differently give many small passages, which belong together.
    """
    stretch: list[Passage] = []
    for passage in found:
        if stretch and passage.new_start - stretch[-1].new_end > _NEAR:
            yield stretch
            stretch = []
        stretch.append(passage)
    if stretch:
        yield stretch


def passages(old: Sequence[str], new: Sequence[str]) -> Iterator[Passage]:
    """Yield where two versions differ, in order.

    The versions are aligned by runs of words that occur once in each version (Cohen's patience diff), so the time grows
    little faster than the length of the text. A passage between two such runs that is too long to be compared word by
    word counts as replaced.
    """
    start = 0
    end_old, end_new = len(old), len(new)
    while start < min(end_old, end_new) and old[start] == new[start]:
        start += 1
    while min(end_old, end_new) > start and old[end_old - 1] == new[end_new - 1]:
        end_old, end_new = end_old - 1, end_new - 1
    if start == end_old and start == end_new:
        return
    at_old, at_new = start, start
    for next_old, next_new in _held_together(old, new, start, end_old, end_new):
        if next_old < at_old or next_new < at_new:
            continue  # overlapping runs
        yield from _between(old, new, Passage(at_old, next_old, at_new, next_new))
        at_old, at_new = next_old + _RUN, next_new + _RUN
    yield from _between(old, new, Passage(at_old, end_old, at_new, end_new))


def _held_together(
    old: Sequence[str], new: Sequence[str], start: int, end_old: int, end_new: int
) -> list[tuple[int, int]]:
    """Return the positions, in both versions, of runs of words by which to align the versions.

    Each run occurs once in each version. The result is the longest sequence of such runs that have the same order in
    both.
    """
    in_old, in_new = _runs_once(old, start, end_old), _runs_once(new, start, end_new)
    pairs = [(place, in_new[run]) for run, place in in_old.items() if run in in_new]
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(pairs)
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        if length == len(tails):
            tails.append(place)
            ends.append(number)
        else:
            tails[length], ends[length] = place, number
        before[number] = ends[length - 1] if length else -1
    chosen: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = before[number]
    return chosen[::-1]


def _runs_once(words: Sequence[str], start: int, end: int) -> dict[tuple[str, ...], int]:
    """Return the runs of words that occur exactly once, with their positions, in ascending order."""
    runs = [tuple(words[place : place + _RUN]) for place in range(start, end - _RUN + 1)]
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs, start) if counts[run] == 1}


def _between(old: Sequence[str], new: Sequence[str], passage: Passage) -> Iterator[Passage]:
    size_old, size_new = passage.old_end - passage.old_start, passage.new_end - passage.new_start
    if not size_old and not size_new:
        return
    if not size_old or not size_new or size_old * size_new > _MOST_COMPARED:
        yield passage
        return
    one, other = old[passage.old_start : passage.old_end], new[passage.new_start : passage.new_end]
    for tag, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "equal":
            start, begin = passage.old_start, passage.new_start
            yield Passage(start + a, start + b, begin + c, begin + d)


def _may_be_content(flags: bytes, passage: Passage) -> bool:
    if passage.new_start < passage.new_end:
        return 1 in flags[passage.new_start : passage.new_end]
    return 1 in _beside(flags, passage) or not flags


def _least_words(flags: bytes, passage: Passage) -> int:
    """Return how many words of a passage must differ before the passage counts.

    Words that were removed at the border of the content may have belonged to its surroundings, which consist of short
    labels. So a few such words do not count, but a removed paragraph at the end of the content does.
    """
    is_between = passage.new_start == passage.new_end and set(_beside(flags, passage)) == {0, 1}
    return _LABEL if is_between else 0


def _beside(flags: bytes, passage: Passage) -> bytes:
    return flags[max(passage.new_start - 1, 0) : passage.new_start + 1]


def _changed_words(old: Sequence[str], new: Sequence[str], passage: Passage) -> int:
    """Return how many words are new or gone in a passage, not counting noise."""
    gone = without_noise(
        old[passage.old_start : passage.old_end],
        old[max(passage.old_start - _CONTEXT, 0) : passage.old_start],
        old[passage.old_end : passage.old_end + _CONTEXT],
    )
    come = without_noise(
        new[passage.new_start : passage.new_end],
        new[max(passage.new_start - _CONTEXT, 0) : passage.new_start],
        new[passage.new_end : passage.new_end + _CONTEXT],
    )
    if _says_the_same(gone, come):
        return 0
    return (Counter(gone) - Counter(come)).total() + (Counter(come) - Counter(gone)).total() or len(come)


def _says_the_same(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether two texts have the same letters and digits, ignoring punctuation and word boundaries."""
    return _letters(old) == _letters(new)


def _letters(words: Sequence[str]) -> str:
    return "".join(filter(str.isalnum, "".join(words)))
