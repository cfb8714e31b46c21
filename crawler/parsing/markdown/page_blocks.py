"""Reads the tree of a page as Markdown blocks. Pure.

A table without column heads that holds headings, other tables or code only arranges the page. Its cells are read as
parts of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from hinterland.crawler.parsing.blocks.marks import SHAPE_OF, Shape
from hinterland.crawler.parsing.html.page_elements import ROLES
from hinterland.crawler.parsing.markdown.code_blocks import around_code, code_language, code_text
from hinterland.crawler.parsing.markdown.inline import Piece, Style, inline_markdown, picture, plain_text
from hinterland.crawler.parsing.markdown.markdown_blocks import BlockKind, MarkdownBlock
from hinterland.crawler.parsing.markdown.nesting import Nesting
from hinterland.crawler.parsing.markdown.shown_text import ShownText
from hinterland.crawler.parsing.markdown.table_grid import Cell, span, table_markdown
from hinterland.crawler.parsing.markdown.table_parts import has_columns, table_parts

Resolve = Callable[[str], str | None]
"""Returns the destination to write for an href; None if it leads nowhere that a reader could go."""

HIDDEN_TAGS: Final = frozenset((*ROLES["hidden"], *ROLES["frame"], *ROLES["title"], *ROLES["template"], "head"))
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_CODE: Final = frozenset({"pre", "listing", "xmp", "textarea"})
_STYLES: Final = {
    **dict.fromkeys(("b", "strong", "dt"), Style.STRONG),
    **dict.fromkeys(("i", "em", "var", "cite", "dfn"), Style.EMPHASIS),
    **dict.fromkeys(("del", "s", "strike"), Style.STRUCK),
    **dict.fromkeys(("code", "tt", "kbd", "samp"), Style.CODE),
    "sup": Style.RAISED,
    "sub": Style.LOWERED,
}
_APART: Final = {tag: shape in (Shape.BLOCK, Shape.LATE) for tag, shape in SHAPE_OF.items()}
"""Whether an element is a block of its own; unknown elements are. A dict is faster than comparing members of an
enumeration."""
_SOFT: Final = frozenset(tag for tag, shape in SHAPE_OF.items() if shape == Shape.SOFT)
_ANY_HEADING: Final = ", ".join(_HEADINGS)
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_ITEMS: Final = frozenset({"li", "dt", "dd"})
"""Items count in their lists even if none of their text is shown."""
_PERMALINKS: Final = frozenset({"¶", "#", "§", "\uf0c1", "\U0001f517", "\u2693", "\u2693\ufe0e"})
"""Texts of links from a heading to itself."""
_MOST_PICTURES: Final = 40
"""The maximum number of pictures that are kept until a text follows; further pictures are left out."""
_AROUND_CODE: Final = 4


@dataclass(slots=True)
class _Opened:
    """An element that is open, and what to restore when it ends."""

    element: int
    tag: str
    style: int
    href: str
    inside: int
    """How many items and quotes were open when the element began."""
    lists: int


@dataclass(slots=True)
class _Line:
    """The text of the block that is being read."""

    pieces: list[Piece] = field(default_factory=list)
    ends_in_space: bool = True
    is_break_due: bool = False


def page_blocks(
    body: LexborNode,
    resolve: Resolve = lambda href: href,
    shown: ShownText | None = None,
) -> list[MarkdownBlock]:
    """Return the blocks of a body.

    `shown` says which text nodes to include; pictures between text nodes that are left out are left out, too. Without
    `shown`, everything is included.
    """
    reading = _Reading(resolve, shown, _around_headings(body))
    reading.read(body)
    while reading.blocks and reading.blocks[-1].kind == BlockKind.RULE:
        reading.blocks.pop()
    return reading.blocks


def _around_headings(body: LexborNode) -> frozenset[int]:
    """Return the addresses of elements that have a heading inside."""
    found = set[int]()
    for heading in body.css(_ANY_HEADING):
        around = heading.parent
        while around is not None and around.mem_id not in found:
            found.add(around.mem_id)
            around = around.parent
    return frozenset(found)


class _Reading:
    """One walk over a body. Mutable. `arranging` are the elements around headings."""

    def __init__(
        self,
        resolve: Resolve,
        shown: ShownText | None,
        arranging: Container[int],
        *,
        is_cell: bool = False,
    ) -> None:
        self.blocks: list[MarkdownBlock] = []
        self._resolve = resolve
        self._shown = shown
        self._arranging = arranging
        self._is_cell = is_cell
        self._line = _Line()
        self._opened: list[_Opened] = []
        self._nesting = Nesting()
        self._style: int = Style.PLAIN
        self._href = ""
        self._level = 0
        self._anchor = self._own_anchor = ""
        """The last id since the last text, and the id of the heading or term that is being read."""
        self._was_shown = shown is None
        self._starts = self._ends = False
        """Whether an inline element that separates its text has begun or ended since the last text."""
        self._pictures: list[tuple[str, str]] = []
        """Pictures since the last text, which are shown if the next text is."""
        self._pictures_are_apart = False

    # ------------------------------------------------------------------------------ the walk

    def read(self, body: LexborNode) -> None:
        at, end = body, body.mem_id
        while True:
            tag = at.tag or ""
            goes_in = False
            if tag == "-text":
                self._put(at)
            elif at.is_element_node and tag not in HIDDEN_TAGS:  # not a comment or a processing instruction
                goes_in = self._enter(at, tag)
            next_one = at.first_child if goes_in else None
            left = at.mem_id
            while next_one is None:
                if self._opened and self._opened[-1].element == left:
                    self._leave()
                if left == end:
                    self._end_block()
                    return
                next_one = at.next
                if next_one is None:
                    assert at.parent is not None
                    at = at.parent
                    left = at.mem_id
            at = next_one

    def _enter(self, element: LexborNode, tag: str) -> bool:
        """Begin an element and return whether its content is to be read."""
        if tag == "br":
            self._break()
            return False
        if tag == "img":
            self._see_picture(element.attributes)
            return False
        if tag == "input":
            self._see_box(element.attributes)
            return False
        if self._shown is not None and tag not in _ITEMS and self._shown.has_nothing_of(element):
            if _APART.get(tag, True):
                self._end_block()
            self._pass_over()
            return False
        name = element.id  # all attributes of an element take forty times as long
        is_permalink, href = False, None
        if tag == "a":
            attributes = element.attributes
            is_permalink, href = self._is_permalink(element, attributes), attributes.get("href")
            name = name or attributes.get("name")
        if name and not self._inside_code():
            self._anchor = name
            if self._level and not self._own_anchor:
                self._own_anchor = name
        if is_permalink:
            return False
        if _APART.get(tag, True):
            self._end_block()
            if tag == "hr":
                self._rule()
                return False
            if tag in _CODE:
                self._read_code(element)
                return False
            if tag == "table" and not self._is_cell and has_columns(element):
                self._read_table(element)
                return False
        opened = _Opened(
            element.mem_id, tag, self._style, self._href, len(self._nesting.inside), len(self._nesting.lists)
        )
        self._opened.append(opened)
        if tag in _HEADINGS:
            self._level = _HEADINGS[tag]
            self._own_anchor = name or ""
        elif tag == "a":
            self._begin_link(href)
        elif tag == "blockquote":
            self._nesting.begin_quote()
        elif (tag in _LISTS and opened.element not in self._arranging) or tag == "dl":
            self._nesting.begin_list(tag, (element.attributes.get("start") or "1").strip(), len(self.blocks))
        elif tag in _LISTS or (tag == "li" and opened.element in self._arranging):
            pass  # the table only arranges parts of the page
        elif tag in _ITEMS:
            if self._nesting.begin_item(tag):
                opened.inside = len(self._nesting.inside)
            if tag == "dt":
                self._own_anchor = name or ""
        self._style |= _STYLES.get(tag, Style.PLAIN)
        self._starts |= tag in _SOFT
        return True

    def _leave(self) -> None:
        left = self._opened[-1]
        if _APART.get(left.tag, True):
            self._end_block()
        self._opened.pop()
        self._ends |= left.tag in _SOFT
        if left.tag in _HEADINGS:
            self._level = 0
        elif left.tag == "dd":
            self._nesting.definition_ended()
        self._style, self._href = left.style, left.href
        if left.tag == "dt" and self._nesting.is_in_definitions:
            return  # its definition belongs to the same item
        nesting = self._nesting
        if len(nesting.inside) > left.inside or len(nesting.lists) > left.lists:
            nesting.end(left.inside, left.lists, len(self.blocks))

    # ------------------------------------------------------------------------------ lines

    def _put(self, node: LexborNode) -> None:
        text = node.text_content or ""
        words = text.split()
        if not words:
            self._space(bool(text))
            return
        if self._shown is not None:
            if not self._shown.has(node):
                self._pass_over()
                return
            self._was_shown = True
            self._show_pictures()
        self._space(text[0].isspace() or self._is_apart(text[0]))
        self._add(Piece(" ".join(words), self._style, self._href))
        if text[-1].isspace():
            self._space(True)

    def _pass_over(self) -> None:
        """Skip a text that is not shown."""
        self._was_shown = False
        self._pictures.clear()
        self._space(True)

    def _is_apart(self, first: str) -> bool:
        """Return whether a text begins a new word, as the second of `<a>one</a><a>two</a>` does; see text_blocks."""
        is_apart, self._starts, self._ends = self._starts or self._ends, False, False
        if not is_apart or self._style & Style.CODE or not self._line.pieces:
            return False
        before = self._line.pieces[-1].text[-1:]
        return (before.isalnum() or before == "_") and first.isalnum() and not (before.isalpha() and first.islower())

    def _space(self, is_there: bool) -> None:
        if is_there and not self._line.ends_in_space:
            self._line.pieces.append(Piece(" ", self._style, self._href))
            self._line.ends_in_space = True

    def _add(self, piece: Piece) -> None:
        line = self._line
        if line.is_break_due:
            line.pieces.append(Piece("\n", self._style & ~Style.CODE, self._href))
            line.is_break_due = False
        line.pieces.append(piece)
        line.ends_in_space = False

    def _break(self) -> None:
        if self._line.is_break_due and not self._level:
            self._end_block()
        elif self._line.pieces:
            self._line.is_break_due = self._line.ends_in_space = True

    def _end_block(self) -> None:
        line = self._line
        self._pictures_are_apart = bool(self._pictures)
        if not line.pieces:
            line.ends_in_space, line.is_break_due = True, False
            return
        self._line = _Line()
        if not any(piece.text.strip() for piece in line.pieces):
            return
        is_term = bool(self._style & Style.STRONG) and bool(self._opened) and self._in_term()
        anchor = self._own_anchor or self._anchor if self._level else self._own_anchor if is_term else ""
        if self._level:
            pieces = [
                Piece(each.text.replace("\n", " "), each.style & ~Style.STRONG, each.href) for each in line.pieces
            ]
            text = inline_markdown(pieces, " ")
            text = "#" * self._level + " " + (text[:-1] + "\\#" if text.endswith(" #") else text)
            self._emit(BlockKind.HEADING, text, self._level, anchor, plain_text(line.pieces))
        else:
            end = "<br>" if self._is_cell else "\\\n"
            title = plain_text(line.pieces) if anchor else ""
            self._emit(BlockKind.TEXT, inline_markdown(line.pieces, end), 0, anchor, title)
            if is_term:
                self._own_anchor = ""

    def _in_term(self) -> bool:
        return any(each.tag == "dt" for each in self._opened[-_AROUND_CODE:])

    def _emit(self, kind: BlockKind, text: str, level: int = 0, anchor: str = "", title: str = "") -> None:
        inside, begins = self._nesting.around_block()
        self.blocks.append(MarkdownBlock(kind, text, inside, begins, level=level, anchor=anchor, title=title))
        self._anchor = ""

    def _rule(self) -> None:
        if self.blocks and self.blocks[-1].kind != BlockKind.RULE and not self._is_cell and self._was_shown:
            self._emit(BlockKind.RULE, "---")

    # ------------------------------------------------------------------------------ links and pictures

    def _begin_link(self, href: str | None) -> None:
        if href is not None and (found := self._resolve(href.strip())):
            self._href = found

    def _is_permalink(self, element: LexborNode, attributes: Mapping[str, str | None]) -> bool:
        """Return whether a link only leads from a heading or term to itself."""
        if not (attributes.get("href") or "").startswith("#"):
            return False
        text = element.text().strip()
        return text in _PERMALINKS or (not text and "anchor" in (attributes.get("class") or ""))

    def _see_picture(self, attributes: Mapping[str, str | None]) -> None:
        source = attributes.get("src") or ""
        if not source or source.startswith("data:"):
            source = attributes.get("data-src") or ""
        alt = " ".join((attributes.get("alt") or "").split())
        found = self._resolve(source.strip()) if source else None
        if found is None:
            return
        if self._was_shown:
            self._add_picture(alt, found)
        elif len(self._pictures) < _MOST_PICTURES:
            self._pictures.append((alt, found))

    def _show_pictures(self) -> None:
        """Write the pictures before a shown text, as a separate block if they were one on the page."""
        for alt, source in self._pictures:
            self._add_picture(alt, source)
        if self._pictures and self._pictures_are_apart:
            self._end_block()
        self._pictures.clear()
        self._pictures_are_apart = False

    def _add_picture(self, alt: str, source: str) -> None:
        made = picture(alt, source)
        self._add(Piece(made.text, Style.RAW, self._href))

    def _see_box(self, attributes: Mapping[str, str | None]) -> None:
        if (attributes.get("type") or "").lower() == "checkbox" and self._nesting.lists and not self._line.pieces:
            self._add(Piece("[x] " if "checked" in attributes else "[ ] ", Style.RAW))
            self._line.ends_in_space = True

    # ------------------------------------------------------------------------------ code and tables

    def _inside_code(self) -> bool:
        return bool(self._style & Style.CODE)

    def _read_code(self, element: LexborNode) -> None:
        text, first = code_text(element, self._shown, HIDDEN_TAGS)
        lines = text.split("\n")
        while lines and not lines[0].strip():
            lines.pop(0)
        while lines and not lines[-1].strip():
            lines.pop()
        if not lines:
            return
        self._was_shown = True
        if self._is_cell:
            kept = [line for line in lines if line.strip()]
            for number, line in enumerate(kept):
                if number:
                    self._break()
                self._add(Piece(line.strip(), Style.CODE))
            self._end_block()
            return
        fence = "```"
        while any(fence in line for line in lines):
            fence += "`"
        self._emit(BlockKind.CODE, "\n".join((fence + code_language(around_code(element, first)), *lines, fence)))

    def _read_table(self, table: LexborNode) -> None:
        rows: list[list[Cell]] = []
        has_head = False
        for part, is_head in table_parts(table):
            if part.tag == "caption":
                self._read_inside(part)
                continue
            cells = [self._cell(cell) for cell in part.iter() if cell.tag in ("td", "th")]
            if any(cell.text for cell in cells):
                has_head |= is_head and not rows
                rows.append(cells)
        if text := table_markdown(rows, has_head=has_head) if rows else "":
            self._emit(BlockKind.TABLE, text)

    def _read_inside(self, element: LexborNode) -> None:
        """Read an element as separate blocks."""
        inner = _Reading(self._resolve, self._shown, self._arranging)
        inner.read(element)
        for block in inner.blocks:
            self._emit(block.kind, block.text, block.level, block.anchor, block.title)

    def _cell(self, element: LexborNode) -> Cell:
        inner = _Reading(self._resolve, self._shown, self._arranging, is_cell=True)
        inner._was_shown = self._was_shown
        inner.read(element)
        self._was_shown = inner._was_shown
        texts = [block.text.lstrip("# ") if block.level else block.text for block in inner.blocks]
        attributes = element.attributes
        return Cell(
            "<br>".join(texts), element.tag == "th", span(attributes.get("colspan")), span(attributes.get("rowspan"))
        )
