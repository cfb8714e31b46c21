"""Merges two versions of a text into one, in which removed and new words are marked. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hinterland.crawler.parsing.changes.differences import passages

_AROUND = 12
"""Words shown on either side of a difference."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive words of one kind.

    The kind is "same", "gone", "new", or "left out" (unchanged words that are far from all differences).
    """

    kind: str
    words: Sequence[str]


def pieces(old: Sequence[str], new: Sequence[str], around: int = _AROUND) -> Iterator[Piece]:
    """Yield the pieces of the merged text in order, with `around` unchanged words on either side of each difference."""
    at, is_first = 0, True
    for passage in passages(old, new):
        yield from _kept(new[at : passage.new_start], around, is_first=is_first, is_last=False)
        if passage.old_start < passage.old_end:
            yield Piece("gone", old[passage.old_start : passage.old_end])
        if passage.new_start < passage.new_end:
            yield Piece("new", new[passage.new_start : passage.new_end])
        at, is_first = passage.new_end, False
    if not is_first:
        yield from _kept(new[at:], around, is_first=False, is_last=True)


def _kept(words: Sequence[str], around: int, *, is_first: bool, is_last: bool) -> Iterator[Piece]:
    after, before = (0 if is_first else around), (0 if is_last else around)
    if len(words) <= after + before:
        if words:
            yield Piece("same", words)
        return
    if after:
        yield Piece("same", words[:after])
    yield Piece("left out", words[after : len(words) - before])
    if before:
        yield Piece("same", words[len(words) - before :])


_MARKS = {"same": ("", ""), "gone": ("[-", "-]"), "new": ("{+", "+}")}


def marked(found: Iterator[Piece]) -> list[str]:
    """Return one line per passage, in the notation of git's word diff."""
    lines, line = list[str](), list[str]()
    for piece in found:
        if piece.kind == "left out":
            if line:
                lines.append(" ".join(line))
            line = []
            continue
        start, end = _MARKS[piece.kind]
        line.append(f"{start}{' '.join(piece.words)}{end}")
    return [*lines, " ".join(line)] if line else lines
