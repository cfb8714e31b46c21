"""Reads the visible text of a page as blocks: paragraphs, headings, cells, and other separate pieces of text. Pure.

White space is collapsed, except in a <pre>. An empty line separates two blocks, and no block contains an empty line. In
a block, text is joined as it is shown: `<b>M</b>obil` is one word, but two links side by side are two words.
`compiled/text_blocks.h` does the same in C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from selectolax.lexbor import LexborNode

from hinterland.crawler.parsing.blocks.marks import KIND_OF, PRE, SHAPE_OF, Shape, marks_of
from hinterland.crawler.parsing.html.page_bounds import MAX_BLOCKS, MAX_CONTAINERS

_LITTLE_TEXT: Final = 250
_ENOUGH_TEXT: Final = 500
"""If the text has fewer than _LITTLE_TEXT bytes, text for readers without scripts counts, too, provided that this makes
at least _ENOUGH_TEXT bytes."""
_SPACE: Final = b" \t\n\v\f\r"
_WORD: Final = re.compile(rb"[^ \t\n\v\f\r]+")
_CLOSING: Final = b",.;:!?)"
_LINE_ENDS: Final = bytes.maketrans(b"\r\f", b"  ")
_CONTINUATION: Final = bytes(range(0x80, 0xC0))
_STOP: Final = re.compile(rb"[.!?](?![^ \n])|\xe3\x80\x82")
_NOT_LOOKED_AT: Final = ("", False, 0)
_COMMA: Final = re.compile(rb",|\xe3\x80\x81|\xef\xbc\x8c")


@dataclass(slots=True)
class Container:
    """An element that divides the text, with counts over all blocks inside it."""

    parent: int
    kind: int
    own: int
    """The marks of the element itself; see marks."""
    all: int
    """The marks of the element and of all elements around it."""
    depth: int
    group: int
    """The number of the first element of its group, which is a run of siblings with the same tag and class."""
    group_size: int = 0
    last_sort: tuple[str, str] | None = None
    """Tag and class of the last child, whose group is `last_group`."""
    last_group: int = 0


@dataclass(slots=True)
class Block:
    """A block of text, and counts of its contents. `linked` counts the characters that are part of links."""

    container: int
    kind: int
    start: int
    end: int = 0
    chars: int = 0
    words: int = 0
    digits: int = 0
    stops: int = 0
    commas: int = 0
    upper: int = 0
    linked: int = 0
    links: int = 0
    marks: int = 0
    """The marks of inline elements around the block's text."""


@dataclass(slots=True)
class TextBlocks:
    """The text of a page in UTF-8, its blocks, and the elements that contain them; the first element is the body.

    Blocks after the first MAX_BLOCKS have no counts, and the elements around them are not distinguished.
    """

    text: bytes
    blocks: list[Block]
    containers: list[Container]


@dataclass(frozen=True, slots=True)
class TextPlaces:
    """The positions of a page's text nodes in its text: the address of each node, and the byte at which it begins.

    `size` is the size of the text in bytes. `block_starts` and `block_kinds` say where each block begins, and of what
    kind it is.
    """

    nodes: Sequence[int]
    starts: Sequence[int]
    size: int
    block_starts: Sequence[int]
    block_kinds: Sequence[int]


PlacesReader = Callable[[LexborNode, Collection[str]], TextPlaces]
"""The type of `text_places`, and of the same function in C."""


def text_blocks(body: LexborNode, hidden: Collection[str]) -> TextBlocks:
    """Return the text of the body, without elements whose tags are in `hidden`."""
    return _read(_Reading, body, hidden)[0]


def text_nodes(body: LexborNode, hidden: Collection[str]) -> tuple[TextBlocks, list[LexborNode], list[int]]:
    """Return the text of the body as text_blocks does, its text nodes, and the byte at which each node begins.

    Only the positions and kinds of the blocks are filled in; their other fields are 0.
    """
    page, reading = _read(_Numbering, body, hidden)
    return page, reading.nodes, reading.starts


def text_places(body: LexborNode, hidden: Collection[str]) -> TextPlaces:
    """Return the positions of the body's text nodes in the text that text_blocks returns."""
    page, nodes, starts = text_nodes(body, hidden)
    block_starts = [block.start for block in page.blocks]
    kinds = [block.kind for block in page.blocks]
    return TextPlaces([node.mem_id for node in nodes], starts, len(page.text), block_starts, kinds)


def _read(kind: type[_R], body: LexborNode, hidden: Collection[str]) -> tuple[TextBlocks, _R]:
    reading = kind(hidden)
    found = reading.read(body)
    if len(found.text) < _LITTLE_TEXT and reading.hides_late:
        with_late = kind({tag for tag in hidden if SHAPE_OF.get(tag) != Shape.LATE})
        late = with_late.read(body)
        if len(late.text) >= _ENOUGH_TEXT:
            return late, with_late
    return found, reading


@dataclass(slots=True)
class _Opened:
    """An element that has begun, and the state to restore when it ends."""

    element: int
    """The address of the element."""
    container: int
    inline: int
    shape: Shape
    is_link: bool
    is_pre: bool


class _Reading:
    """One walk over a body. Mutable."""

    def __init__(self, hidden: Collection[str]) -> None:
        self._hidden = hidden
        self.hides_late = False
        """Whether text for readers without scripts was left out."""
        self._text = bytearray()
        self._blocks: list[Block] = []
        self._containers: list[Container] = []
        self._opened: list[_Opened] = []
        self._container = self._inline = self._links = self._links_due = self._pres = 0
        self._block: Block | None = None
        self._is_break_due = False
        self._is_space_due = False
        self._begin_text()

    def _begin_text(self) -> None:
        """Forget which elements began and ended since the last text."""
        self._starts = self._ends = self._is_raised = False
        self._is_space_due = self._is_break_due = False

    def read(self, body: LexborNode) -> TextBlocks:
        at, end = body, body.mem_id
        while True:
            tag = at.tag or ""
            is_text, is_hidden = tag == "-text", tag in self._hidden
            if is_text:
                self._note(at)
                self._put(at.text_content or "")
            elif not is_hidden:
                self._enter(at, tag)
            elif SHAPE_OF.get(tag) == Shape.LATE:
                self.hides_late = True
            next_one = None if is_text or is_hidden else at.first_child
            while next_one is None:
                left = 0 if is_text else at.mem_id
                if self._opened and self._opened[-1].element == left:
                    self._leave()
                if left == end:
                    self._end_block()
                    return TextBlocks(bytes(self._text), self._blocks, self._containers)
                next_one = at.next
                if next_one is None:
                    assert at.parent is not None
                    at, is_text = at.parent, False
            at = next_one

    def _note(self, text: LexborNode) -> None:
        """Note a text node before its text is appended."""

    def _enter(self, element: LexborNode, tag: str) -> None:
        if not element.is_element_node:  # a comment, or a processing instruction, which has no attributes either
            return
        shape = SHAPE_OF.get(tag, Shape.BLOCK)
        if shape == Shape.BREAK:
            if self._block is not None and self._is_break_due:
                self._end_block()
            else:
                self._is_break_due = self._block is not None
            return
        if self._pres and shape == Shape.BLOCK:  # such as a line of code
            shape = Shape.LINE
            self._is_break_due = self._block is not None
        is_counted = len(self._blocks) <= MAX_BLOCKS
        classes, is_link, marks = self._looked_at(element, tag) if is_counted else _NOT_LOOKED_AT
        opened = _Opened(element.mem_id, self._container, self._inline, shape, is_link, False)
        self._opened.append(opened)
        self._links += is_link
        self._links_due += is_link
        if shape in (Shape.BLOCK, Shape.LATE):
            self._end_block()
            if is_counted:
                self._open_container(tag, classes, marks)
            self._inline = 0
            opened.is_pre = KIND_OF.get(tag, 0) == PRE
            self._pres += opened.is_pre
        else:
            self._inline |= marks
            self._starts |= shape == Shape.SOFT
            self._is_raised |= shape == Shape.RAISED

    def _looked_at(self, element: LexborNode, tag: str) -> tuple[str, bool, int]:
        """Return the classes of an element, whether it is a link, and its marks."""
        attributes = element.attributes
        return attributes.get("class") or "", tag == "a" and "href" in attributes, marks_of(tag, attributes)

    def _open_container(self, tag: str, classes: str, own: int) -> None:
        number = len(self._containers)
        if number >= MAX_CONTAINERS:
            return
        made = Container(self._container, KIND_OF.get(tag, 0), own, own, 0, number)
        if number:
            around, sort = self._containers[self._container], (tag, classes)
            made.all |= around.all
            made.depth = around.depth + 1
            if around.last_sort == sort:
                made.group = around.last_group
            around.last_sort, around.last_group = sort, made.group
        self._containers.append(made)
        self._containers[made.group].group_size += 1
        self._container = number

    def _leave(self) -> None:
        left = self._opened.pop()
        self._links -= left.is_link
        self._pres -= left.is_pre
        if left.shape in (Shape.BLOCK, Shape.LATE):
            self._end_block()
        else:
            self._is_break_due |= left.shape == Shape.LINE and self._block is not None
            self._ends |= left.shape == Shape.SOFT
            self._is_raised |= left.shape == Shape.RAISED
        self._container, self._inline = left.container, left.inline

    def _end_block(self) -> None:
        if self._block is not None:
            start = self._block.start
            if self._text[-1] in _SPACE:  # in a <pre>
                del self._text[start + len(self._text[start:].rstrip(_SPACE)) :]
            self._block.end = len(self._text)
        self._block = None
        self._is_break_due = False

    def _begin_block(self) -> Block:
        if self._text:
            self._text += b"\n\n"
        made = Block(self._container, self._containers[self._container].kind, len(self._text))
        self._blocks.append(made)
        self._block = made
        self._is_break_due = False
        return made

    def _put(self, text: str) -> None:
        """Append the text of a node to its block."""
        data = text.encode("utf-8", "replace")
        size, known = len(self._text), len(self._blocks)
        if self._pres:
            self._put_lines(data)
        else:
            self._put_words(data)
        if self._block is None or len(self._text) == size:
            return
        if len(self._blocks) > MAX_BLOCKS:
            if self._pres:
                self._begin_text()
            return
        start = self._block.start if len(self._blocks) > known else size
        self._count(self._block, bytes(self._text[start:]))
        if self._pres:
            self._begin_text()

    def _put_lines(self, data: bytes) -> None:
        if self._block is None:
            data = data.lstrip(_SPACE)
            if not data:
                return
            self._begin_block()
        if self._is_break_due and data[:1] not in (b"", b"\n") and self._text[-1:] != b"\n":
            self._text += b"\n"
        for line in data.translate(_LINE_ENDS).splitlines(keepends=True):
            if line == b"\n" and self._text[-1:] == b"\n":
                self._text += b" "  # an empty line would end the block
            self._text += line

    def _put_words(self, data: bytes) -> None:
        words = _WORD.findall(data)
        if not words:
            self._is_space_due |= bool(data)
            return
        self._is_space_due |= data[0] in _SPACE
        if self._block is None:
            self._begin_block()
        else:
            self._text += self._separator(words[0])
        self._text += b" ".join(words)
        self._begin_text()
        self._is_space_due = data[-1] in _SPACE

    def _separator(self, word: bytes) -> bytes:
        """Return the separator between a word and the text before it in the same block."""
        if self._is_break_due:
            return b"\n"
        if self._is_space_due or self._is_raised:
            return b" "
        if not self._starts and not self._ends:
            return b""
        if self._starts and self._ends:
            return b"" if word[0] in _CLOSING else b" "
        before, after = self._text[-1], word[0]
        if not (_is_letter(before) or 0x30 <= before <= 0x39) or not (_is_letter(after) or 0x30 <= after <= 0x39):
            return b""
        return b"" if _is_letter(before) and _may_continue(word) else b" "

    def _count(self, block: Block, text: bytes) -> None:
        chars = len(text.translate(None, _CONTINUATION))
        block.chars += chars
        block.words += text.count(b" ") + text.count(b"\n")
        block.digits += len(text) - len(text.translate(None, b"0123456789"))
        block.upper += len(text) - len(text.translate(None, _CAPITALS))
        block.stops += len(_STOP.findall(text))
        block.commas += len(_COMMA.findall(text))
        if self._links:
            block.linked += chars
        block.marks |= self._inline
        block.links += self._links_due
        self._links_due = 0


class _Numbering(_Reading):
    """A walk that only notes positions of nodes. It counts nothing and reads no attributes, in half of the time."""

    def __init__(self, hidden: Collection[str]) -> None:
        super().__init__(hidden)
        self.nodes: list[LexborNode] = []
        self.starts: list[int] = []

    def _note(self, text: LexborNode) -> None:
        start = len(self._text)
        while self.starts and self.starts[-1] > start:  # white space at the end of a block was removed again
            self.starts.pop()
            self.nodes.pop()
        self.starts.append(start)
        self.nodes.append(text)

    def _looked_at(self, element: LexborNode, tag: str) -> tuple[str, bool, int]:
        return _NOT_LOOKED_AT

    def _open_container(self, tag: str, classes: str, own: int) -> None:
        number = len(self._containers)
        if number < MAX_CONTAINERS:
            self._containers.append(Container(self._container, KIND_OF.get(tag, 0), 0, 0, 0, number))
            self._container = number

    def _count(self, block: Block, text: bytes) -> None:
        pass


_R = TypeVar("_R", bound=_Reading)
_CAPITALS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _is_letter(byte: int) -> bool:
    return byte >= 0x80 or 0x61 <= byte <= 0x7A or 0x41 <= byte <= 0x5A


def _may_continue(word: bytes) -> bool:
    """Return whether a word begins with a letter that is not a capital of the Latin, Greek or Cyrillic script."""
    first, second = word[0], word[1] if len(word) > 1 else 0
    if first < 0x80:
        return 0x61 <= first <= 0x7A
    capitals = {0xC3: (0x80, 0x9E), 0xCE: (0x91, 0xAB), 0xD0: (0x80, 0xAF)}.get(first, (1, 0))
    return not capitals[0] <= second <= capitals[1]
