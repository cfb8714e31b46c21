"""Keeps track of the lists, items and quotes that are open while a page is read. Pure.

A list of definitions becomes a list of items that begin with their terms in bold. CommonMark has no lists of
definitions, and the lists of definitions in its dialects turn into code when they are nested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hinterland.crawler.parsing.markdown.markdown_blocks import Around

_DEEPEST: Final = 40
"""Lists and quotes that are nested deeper are written at this level, because each level lengthens every line."""


@dataclass(slots=True)
class List:
    """A list that is being read."""

    group: int
    is_definitions: bool
    bullet: str = "-"
    number: int | None = None
    """The number of the next item; None in a list without numbers."""
    has_definition: bool = False
    """Whether the open item has its definition already, so that the next term begins another."""


class Nesting:
    """The lists, items and quotes around the text that is read next. Mutable."""

    def __init__(self) -> None:
        """Start outside all blocks."""
        self.inside: list[Around] = []
        """The open items and quotes."""
        self.lists: list[List] = []
        """The lists that are being read."""
        self._begun = 0
        """How many of the innermost open items and quotes have no block yet."""
        self._numbers = 0
        self._last_list: tuple[int, int, str] = (-1, -1, "")
        """The number of blocks and of open items when the last list ended, and its bullet."""

    @property
    def is_in_definitions(self) -> bool:
        """Whether the innermost list is a list of definitions."""
        return bool(self.lists) and self.lists[-1].is_definitions

    def around_block(self) -> tuple[tuple[Around, ...], int]:
        """Return the items and quotes around a new block, and how many of them begin with it.

        These are the innermost ones.
        """
        begins, self._begun = min(self._begun, len(self.inside)), 0
        return tuple(self.inside), begins

    def begin_quote(self) -> None:
        """Begin a quote."""
        self._begin("> ", "> ")

    def begin_list(self, tag: str, start: str, blocks: int) -> None:
        """Begin a list of the element `tag`, numbered from `start`; `blocks` is the number of blocks before it."""
        self._numbers += 1
        follows = self._last_list[:2] == (blocks, len(self.inside))
        made = List(self._numbers, is_definitions=tag == "dl")
        if tag == "ol":
            made.number = int(start) if start.isascii() and start.isdecimal() and len(start) < 9 else 1
            made.bullet = ")" if follows and self._last_list[2] == "." else "."
        elif follows and self._last_list[2] == "-":  # the same bullet would continue the list before
            made.bullet = "*"
        self.lists.append(made)

    def begin_item(self, tag: str) -> bool:
        """Begin an item, a term or a definition; return whether the item continues after this element."""
        if not self.lists:
            self._numbers += 1
            self.lists.append(List(self._numbers, is_definitions=tag != "li"))
        around = self.lists[-1]
        if around.is_definitions and tag != "li":
            is_open = bool(self.inside) and self.inside[-1].group == around.group
            if not is_open or (tag == "dt" and around.has_definition):
                self._end_inside(len(self.inside) - is_open)
                around.has_definition = False
                self._begin(f"{around.bullet} ", "  ", around.group)
            return True
        mark = f"{around.bullet} "
        if around.number is not None:
            mark = f"{around.number}{mark}"
            around.number += 1
        self._begin(mark, " " * len(mark), around.group)
        return False

    def definition_ended(self) -> None:
        """Note that the open item has its definition."""
        if self.lists:
            self.lists[-1].has_definition = True

    def end(self, depth: int, lists: int, blocks: int) -> None:
        """End items and quotes beyond `depth`, and lists beyond `lists`; `blocks` is the number of blocks so far."""
        self._end_inside(depth)
        if len(self.lists) > lists:
            self._last_list = (blocks, len(self.inside), self.lists[lists].bullet)
            del self.lists[lists:]

    def _begin(self, first: str, rest: str, group: int = 0) -> None:
        if len(self.inside) < _DEEPEST:
            self._numbers += 1
            self.inside.append(Around(self._numbers, first, rest, group))
            self._begun += 1

    def _end_inside(self, depth: int) -> None:
        if (count := len(self.inside) - depth) > 0:
            del self.inside[depth:]
            self._begun = max(self._begun - count, 0)
