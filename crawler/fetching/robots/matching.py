"""Which of many robots.txt rules decides about a path (RFC 9309 sections 2.2.2 and 2.2.3).

Spelling. Patterns and paths are compared in one normal form, in which percent-encoded octets are decoded wherever that
loses nothing: unreserved characters, as the RFC wants, and characters that must not occur raw in a URI, so that `<` and
`%3C` are the same. `%24` and `%2A` become the literal `$` and `*` for which they stand by section 2.2.3. `%27` is
decoded too, because canonical URLs spell an apostrophe raw in the path but encoded in the query. Other reserved
characters keep their spelling (`%2F` is not `/`), non-ASCII is percent-encoded UTF-8, hexadecimal digits are upper
case. After the first `?` only `&`, `=`, `+`, `;`, `#` and `%` separate anything, so other reserved characters may be
encoded there or not: `?u=https%3A%2F%2F` is `?u=https://`, as in the examples of section 2.2.2. So paths and patterns
have a second form in which these characters are decoded, and a pattern matches a path if it matches in one of the two
forms. The normal form decodes rather than encodes, so that an ASCII path without `%`, the usual case, is already in
normal form.

Precedence. The longest pattern in normal form wins; `*` and `$` count as characters, and a run of `*` counts as one.
`Allow` wins a tie.

Cost. The question is asked once per page, on the event loop. Patterns without an inner `*` are prefixes. The prefixes
are sorted, and each is linked to the longest other prefix that it begins with, so a single bisection finds all that
match, however many there are. The other patterns are tried from the longest to the shortest, after a substring test
that most of them fail. If there are many, a pattern is tried only if the first characters of its longest piece occur in
the path. A pattern is matched by leftmost search, piece by piece without backtracking, so a hostile pattern costs at
most its own length times that of the path. All patterns together get at most MOST_COMPARISONS for a path. If that is
not enough, the decision is unknown, and the path is not fetched (`TOO_MANY_PATTERNS`). Only a hostile file, of half a
megabyte, can cause that.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_DIVIDING_QUERIES: Final = "%#&+;="
_KEPT_ENCODED: Final = _DIVIDING_QUERIES + ":/?[]@!(),"
MOST_COMPARISONS: Final = 50_000_000
"""Maximum number of comparisons of characters for a path, in the worst case that lengths allow. They take about 20 ms.
"""
_TRY: Final = 200  # fixed cost of trying a pattern, in comparisons
_MANY: Final = 64
_KEY: Final = 4  # characters


def _unsettled(kept: str) -> re.Pattern[str]:
    """Return a pattern that finds text that is not in normal form, if the characters in `kept` stay encoded."""
    settled = "|".join([*(f"{ord(character):02X}" for character in kept), "[89A-F][0-9A-F]"])
    # After a stray "%" or "%h" an octet stays encoded: decoded, it could complete a triplet that was not there.
    return re.compile(rf"(?<!%)(?<!%[0-9A-Fa-f])%(?!{settled})([0-9A-Fa-f]{{2}})|[^\x00-\x7f]+")


_UNSETTLED: Final = _unsettled(_KEPT_ENCODED)
_UNSETTLED_IN_QUERY: Final = _unsettled(_DIVIDING_QUERIES)
_STARS: Final = re.compile(r"\*+")


@dataclass(frozen=True, slots=True)
class RobotsRule:
    """One `Allow` or `Disallow` line."""

    allow: bool
    pattern: str
    """The pattern, not empty; `*` and a final `$` are special."""
    line_number: int | None = None
    """The number of the line in the file, counted from 1; None if the rule is not from a file."""
    line: str | None = None


NO_RULE: Final = RobotsRule(allow=True, pattern="")
"""The deciding rule if nothing matches: allow."""


TOO_MANY_PATTERNS: Final = RobotsRule(allow=False, pattern="", line="(its patterns take too long to try)")
"""The deciding rule if it takes too long to find the real one: disallow."""


def normal_form(text: str) -> str:
    """Return the normal form of a path, or of a piece of a pattern without wildcards."""
    if "%" not in text and text.isascii():
        return text
    return _UNSETTLED.sub(_spelling, text)


def with_decoded_query(text: str, *, is_query: bool = False) -> str:
    """Return the second form of a text in normal form; `is_query` says that a `?` precedes it."""
    if "%" not in text:
        return text
    path, mark, query = ("", "", text) if is_query else text.partition("?")
    return path + mark + _UNSETTLED_IN_QUERY.sub(_spelling_in_query, query)


def percent_encoded(octets: bytes) -> str:
    """Return bytes as percent-encoded text, such as "%C3%BC"."""
    return "".join(f"%{octet:02X}" for octet in octets)


def _spelling(match: re.Match[str], kept: str = _KEPT_ENCODED) -> str:
    digits = match[1]
    if digits is None:
        return percent_encoded(match[0].encode("utf-8", "replace"))
    character = chr(int(digits, 16))
    return character if character.isascii() and character not in kept else match[0].upper()


def _spelling_in_query(match: re.Match[str]) -> str:
    return _spelling(match, _DIVIDING_QUERIES)


class RuleIndex:
    """The rules for one agent, arranged so that the deciding rule is found quickly."""

    __slots__ = ("_by_key", "_exact", "_key_lengths", "_parents", "_prefixes", "_wildcards", "_winners")

    def __init__(self, rules: Iterable[RobotsRule]) -> None:
        """Arrange the rules. If several have the same pattern, the first one in the file counts."""
        highest: dict[_Shape, _RankedRule] = {}
        for rule in rules:
            for shape, length in _shapes_and_lengths(rule.pattern):
                ranked = _RankedRule(2 * length + rule.allow, rule)
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
            _Wildcard(ranked.rank, shape.longest_literal(), shape, ranked.rule)
            for shape, ranked in sorted(highest.items(), key=lambda item: -item[1].rank)
            if not (shape.is_prefix or shape.is_exact)
        ]
        self._by_key: dict[str, list[int]] = {}
        if len(self._wildcards) > _MANY:
            for place, wildcard in enumerate(self._wildcards):
                self._by_key.setdefault(wildcard.literal[:_KEY], []).append(place)
        self._key_lengths = {len(key) for key in self._by_key}

    def deciding(self, path: str) -> RobotsRule:
        """Return the rule that decides about `path`, which includes the query; `NO_RULE` if none matches."""
        if "%" not in path and path.isascii():
            return self._deciding(path).rule
        path = normal_form(path)
        decided, decoded = self._deciding(path), with_decoded_query(path)
        return decided.rule if decoded == path else max(decided, self._deciding(decoded), key=_rank).rule

    def _deciding(self, path: str) -> _RankedRule:
        # Anything that sorts between a prefix of the path and the path starts with that prefix. So the greatest
        # entry not after the path has among its ancestors, itself included, all prefixes of the path.
        prefixes = self._prefixes
        index = bisect_right(prefixes, path) - 1
        while index >= 0 and not path.startswith(prefixes[index]):
            index = self._parents[index]
        winner = self._winners[index]
        if path in self._exact:
            winner = max(winner, self._exact[path], key=_rank)
        comparisons = MOST_COMPARISONS
        for wildcard in self._worth_a_look(path):
            if wildcard.rank <= winner.rank:
                break
            comparisons -= _TRY + len(wildcard.literal) * len(path)
            if comparisons < 0:
                return _TOO_MANY
            if wildcard.literal in path:
                comparisons -= _TRY * len(wildcard.shape.pieces) + len(wildcard.literal) * len(path)
                if comparisons < 0:
                    return _TOO_MANY
                if wildcard.shape.matches(path):
                    winner = _RankedRule(wildcard.rank, wildcard.rule)
                    break
        return winner

    def _worth_a_look(self, path: str) -> Sequence[_Wildcard]:
        """Return the wildcard patterns that may match a path, the longest first."""
        if not self._by_key:
            return self._wildcards
        found = list[int]()
        for length in self._key_lengths:
            for key in self._by_key.keys() & {path[at : at + length] for at in range(len(path) - length + 1)}:
                found += self._by_key[key]
        return [self._wildcards[place] for place in sorted(found)]


class _RankedRule(NamedTuple):
    rank: int
    """Twice the length of the pattern, plus one for `Allow`: the rule with the greatest rank decides."""
    rule: RobotsRule


_NOTHING: Final = _RankedRule(-1, NO_RULE)
_TOO_MANY: Final = _RankedRule(sys.maxsize, TOO_MANY_PATTERNS)


def _rank(ranked: _RankedRule) -> int:
    return ranked.rank


class _Wildcard(NamedTuple):
    rank: int
    literal: str
    """The longest of the pattern's pieces."""
    shape: _Shape
    rule: RobotsRule


class _Shape(NamedTuple):
    """What a pattern matches: paths that begin with `head` and then contain `pieces`, in order and without overlap."""

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


def _shapes_and_lengths(pattern: str) -> Iterator[tuple[_Shape, int]]:
    """Yield the shapes of the one or two forms of `pattern`, each with its length, by which precedence is decided."""
    is_anchored = pattern.endswith("$")
    pieces = [normal_form(piece) for piece in _STARS.split(pattern.removesuffix("$"))]
    marked = next((place for place, piece in enumerate(pieces) if "?" in piece), len(pieces))
    decoded = [with_decoded_query(piece, is_query=place > marked) for place, piece in enumerate(pieces)]
    shape, length = _shape_and_length(decoded, is_anchored)
    yield shape, length
    if decoded != pieces:
        yield _shape_and_length(pieces, is_anchored)[0], length


def _shape_and_length(normal: Sequence[str], is_anchored: bool) -> tuple[_Shape, int]:
    head, *pieces = normal
    length = len(head) + len(pieces) + sum(map(len, pieces)) + is_anchored
    if pieces and not pieces[-1]:  # a final `*`: anything may follow, `$` or not
        pieces.pop()
        is_anchored = False
    return _Shape(head, tuple(pieces), is_anchored), length


def _longest_proper_prefixes(ordered: Sequence[str]) -> list[int]:
    """Return, for each of these sorted, distinct strings, the index of its longest proper prefix among them, or -1."""
    parents: list[int] = []
    for index, text in enumerate(ordered):
        parent = index - 1
        while parent >= 0 and not text.startswith(ordered[parent]):
            parent = parents[parent]
        parents.append(parent)
    return parents
