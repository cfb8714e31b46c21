"""A page as Markdown blocks: headings, paragraphs, code and tables, each with the lists and quotes around it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    TEXT = "text"
    CODE = "code"
    TABLE = "table"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Around:
    """A list item or quote around blocks. `first` is written before its first line, `rest` before its other lines."""

    number: int
    """The number of the item or quote on the page."""
    first: str
    rest: str
    group: int = 0
    """The number of the list that an item is in."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """A block of Markdown.

    `inside` holds the items and quotes around the block, the outermost first; `text` does not contain the marks, such
    as "> ", that these put before the block's lines. This block is the first one in the innermost `begins` of them.
    """

    kind: BlockKind
    text: str
    inside: tuple[Around, ...] = ()
    begins: int = 0
    level: int = 0
    """The level of a heading, from 1 to 6; 0 for other blocks."""
    anchor: str = ""
    """The fragment of a URL that leads to this heading or term of a definition; "" if there is none."""
    title: str = ""
    """The plain text of a heading or term."""


def markdown_of(blocks: Sequence[MarkdownBlock]) -> str:
    """Return successive blocks as one text; the marks of items and quotes around all blocks are left out."""
    if not blocks:
        return ""
    outer = _around_all(blocks)
    lines: list[str] = []
    before: MarkdownBlock | None = None
    for block in blocks:
        if before is not None and not _is_tight(before, block):
            lines.append(_rest(_shared(before, block)[outer:]).rstrip())
        kept = len(block.inside) - block.begins
        first = _rest(block.inside[outer:kept]) + "".join(each.first for each in block.inside[max(kept, outer) :])
        rest = _rest(block.inside[outer:])
        for number, line in enumerate(block.text.split("\n")):
            lines.append((rest if number else first) + line if line else (rest if number else first).rstrip())
        before = block
    return "\n".join(lines) + "\n"


def section_of(blocks: Sequence[MarkdownBlock], anchor: str) -> Sequence[MarkdownBlock]:
    """Return the section that an anchor leads to, empty if there is none.

    The section of a heading ends before the next heading of the same or a higher level. The section of a term is the
    term with its definition.
    """
    start = next((place for place, block in enumerate(blocks) if block.anchor == anchor), None) if anchor else None
    if start is None:
        return ()
    first = blocks[start]
    end = start + 1
    if first.level:
        while end < len(blocks) and not 0 < blocks[end].level <= first.level:
            end += 1
    elif first.inside:
        while end < len(blocks) and first.inside[-1] in blocks[end].inside:
            end += 1
    return blocks[start:end]


def section_paths(blocks: Sequence[MarkdownBlock]) -> list[tuple[tuple[str, ...], str]]:
    """Return, for each block, the titles of the headings above it, the highest first, and an anchor.

    The anchor is that of the nearest heading. A heading counts as above itself. In a definition, a term with an anchor
    counts as the nearest heading.
    """
    found = []
    headings: list[MarkdownBlock] = []
    terms: list[MarkdownBlock] = []
    for block in blocks:
        if block.level:
            while headings and headings[-1].level >= block.level:
                headings.pop()
            headings.append(block)
            terms.clear()
        while terms and terms[-1].inside[-1] not in block.inside:
            terms.pop()
        if block.anchor and block.title and block.inside and not block.level:
            terms.append(block)
        above = [*headings, *terms]
        anchor = next((each.anchor for each in reversed(above) if each.anchor), "")
        found.append((tuple(each.title for each in above), anchor))
    return found


def _rest(inside: Sequence[Around]) -> str:
    return "".join(each.rest for each in inside)


def _shared(a: MarkdownBlock, b: MarkdownBlock) -> tuple[Around, ...]:
    count = 0
    while count < min(len(a.inside), len(b.inside) - b.begins) and a.inside[count] == b.inside[count]:
        count += 1
    return a.inside[:count]


def _around_all(blocks: Sequence[MarkdownBlock]) -> int:
    """Return how many items and quotes are around all blocks and have begun before the first block."""
    count = len(blocks[0].inside) - blocks[0].begins
    for block in blocks:
        while block.inside[:count] != blocks[0].inside[:count]:
            count -= 1
    return count


def _is_tight(before: MarkdownBlock, block: MarkdownBlock) -> bool:
    """Return whether a block is written on the next line: an item after another item, or after the text around it."""
    if not block.begins or before.kind != BlockKind.TEXT or block.kind != BlockKind.TEXT:
        return False
    begun = block.inside[-block.begins]
    if not begun.group:
        return False
    if any(each.group == begun.group for each in before.inside):
        return True
    outer = block.inside[: -block.begins]
    return bool(outer) and before.inside == outer and (not begun.first[0].isdigit() or begun.first[:2] in ("1.", "1)"))
