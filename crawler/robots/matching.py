"""Which of many robots.txt rules decides about a path (RFC 9309 sections 2.2.2 and 2.2.3).

Spelling. Patterns and paths are compared in one normal form, in which percent-encoded octets are decoded
wherever that loses nothing: unreserved characters, as the RFC wants, and those that cannot stand raw in a
URI, so that `<` and `%3C` are one. `%24` and `%2A` become the literal `$` and `*` that section 2.2.3 has them
stand for. `%27` is decoded too, because canonical URLs spell an apostrophe raw in the path but encoded in the
query. Other reserved characters keep their spelling (`%2F` is not `/`), non-ASCII is percent-encoded UTF-8,
hexadecimal digits are upper case. The normal form decodes rather than encodes so that an ASCII path without
`%`, the usual case, is in it already.

Precedence. The longest pattern in normal form wins, its `*` and `$` counted (runs of `*` once); `Allow` wins
a tie.

Cost. The question is asked once per page. Patterns without an inner `*` are prefixes: sorted, each linked to
the next shorter prefix of itself, one bisection finds all that match, however many there are. The others are
tried from the longest down, after a substring test that most of them fail. Each is matched by leftmost
search, piece by piece and never going back, so a hostile pattern costs at the worst its own length times that
of the path.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_KEPT_ENCODED: Final = "%:/?#[]@!&()+,;="
_SETTLED: Final = "|".join([*(f"{ord(character):02X}" for character in _KEPT_ENCODED), "[89A-F][0-9A-F]"])
# After a stray "%" or "%h" an octet stays encoded: decoded, it could complete a triplet that was not there.
_UNSETTLED: Final = re.compile(rf"(?<!%)(?<!%[0-9A-Fa-f])%(?!{_SETTLED})([0-9A-Fa-f]{{2}})|[^\x00-\x7f]+")
_STARS: Final = re.compile(r"\*+")


@dataclass(frozen=True, slots=True)
class Rule:
    """One `Allow` or `Disallow` line."""

    allow: bool
    pattern: str
    """Not empty; `*` and a final `$` are special."""
    line_number: int | None = None
    """Counted from 1; None if the rule stands in no file."""
    line: str | None = None


NO_RULE: Final = Rule(allow=True, pattern="")
"""What decides when nothing matches: allow."""


def normal_form(text: str) -> str:
    """The one spelling of a path, or of a piece of pattern without wildcards."""
    if "%" not in text and text.isascii():
        return text
    return _UNSETTLED.sub(_normal_spelling, text)


def percent_encoded(octets: bytes) -> str:
    return "".join(f"%{octet:02X}" for octet in octets)


def _normal_spelling(match: re.Match[str]) -> str:
    digits = match[1]
    if digits is None:
        return percent_encoded(match[0].encode("utf-8", "replace"))
    character = chr(int(digits, 16))
    return character if character.isascii() and character not in _KEPT_ENCODED else match[0].upper()


class RuleIndex:
    """The rules for one agent, arranged for the question which of them decides."""

    __slots__ = ("_exact", "_parents", "_prefixes", "_wildcards", "_winners")

    def __init__(self, rules: Iterable[Rule]) -> None:
        highest: dict[_Shape, _Ranked] = {}
        for rule in rules:
            shape, length = _shape_and_length(rule.pattern)
            ranked = _Ranked(2 * length + rule.allow, rule)
            if shape not in highest or ranked.rank > highest[shape].rank:  # of equals, the first in the file
                highest[shape] = ranked
        prefixes = sorted((shape.head, ranked) for shape, ranked in highest.items() if shape.is_prefix)
        self._prefixes = [prefix for prefix, _ in prefixes]
        self._parents = _longest_proper_prefixes(self._prefixes)
        self._winners = [ranked for _, ranked in prefixes] + [_NOTHING]  # a parent of -1 means none: the last
        for index, parent in enumerate(self._parents):  # parents sort first, so theirs are final
            self._winners[index] = max(self._winners[index], self._winners[parent], key=_rank)
        self._exact = {shape.head: ranked for shape, ranked in highest.items() if shape.is_exact}
        self._wildcards = [
            (ranked.rank, shape.longest_literal(), shape, ranked)
            for shape, ranked in sorted(highest.items(), key=lambda item: -item[1].rank)
            if not (shape.is_prefix or shape.is_exact)
        ]

    def deciding(self, path: str) -> Rule:
        """The rule that decides about path and query; `NO_RULE` if none matches."""
        if "%" in path or not path.isascii():
            path = normal_form(path)
        # Whatever sorts between a prefix of the path and the path starts with that prefix. So the greatest
        # entry not after the path has among its ancestors, itself included, all prefixes of the path.
        prefixes = self._prefixes
        index = bisect_right(prefixes, path) - 1
        while index >= 0 and not path.startswith(prefixes[index]):
            index = self._parents[index]
        winner = self._winners[index]
        if path in self._exact:
            winner = max(winner, self._exact[path], key=_rank)
        for rank, literal, shape, ranked in self._wildcards:
            if rank <= winner.rank:
                break
            if literal in path and shape.matches(path):
                winner = ranked
                break
        return winner.rule


class _Ranked(NamedTuple):
    rank: int
    """Twice the length of the pattern, plus one for `Allow`: the greater decides."""
    rule: Rule


_NOTHING: Final = _Ranked(-1, NO_RULE)


def _rank(ranked: _Ranked) -> int:
    return ranked.rank


class _Shape(NamedTuple):
    """What a pattern matches: `head`, then each of `pieces`, in order and not overlapping."""

    head: str
    pieces: tuple[str, ...]
    is_anchored: bool
    """Whether nothing may follow the last piece, or the head if there is none."""

    @property
    def is_prefix(self) -> bool:
        return not self.pieces and not self.is_anchored

    @property
    def is_exact(self) -> bool:
        return not self.pieces and self.is_anchored

    def longest_literal(self) -> str:
        return max(self.head, *self.pieces, key=len)

    def matches(self, path: str) -> bool:
        if not path.startswith(self.head):
            return False
        position = len(self.head)
        floating, end = self.pieces, len(path)
        if self.is_anchored:
            floating, tail = self.pieces[:-1], self.pieces[-1]
            end -= len(tail)
            if end < position or not path.endswith(tail):
                return False
        for piece in floating:
            position = path.find(piece, position, end)
            if position < 0:
                return False
            position += len(piece)
        return True


def _shape_and_length(pattern: str) -> tuple[_Shape, int]:
    """What `pattern` matches, and its length for precedence."""
    is_anchored = pattern.endswith("$")
    head, *pieces = map(normal_form, _STARS.split(pattern.removesuffix("$")))
    length = len(head) + len(pieces) + sum(map(len, pieces)) + is_anchored
    if pieces and not pieces[-1]:  # a final `*`: anything may follow, `$` or not
        pieces.pop()
        is_anchored = False
    return _Shape(head, tuple(pieces), is_anchored), length


def _longest_proper_prefixes(ordered: Sequence[str]) -> list[int]:
    """For each of the sorted, distinct strings the index of the longest other that it starts with, or -1."""
    parents: list[int] = []
    for index, text in enumerate(ordered):
        parent = index - 1
        while parent >= 0 and not text.startswith(ordered[parent]):
            parent = parents[parent]
        parents.append(parent)
    return parents
