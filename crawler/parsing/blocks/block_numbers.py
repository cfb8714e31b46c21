"""The whole numbers that describe each block of a text, from which `main_blocks` judges the block. Pure.

The numbers come from the block's own text, the marks of the elements around it, sums over the nearest elements that
contain further blocks, the neighbouring blocks, and the page. `compiled/text_blocks.h` computes the same numbers in C.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.parsing.blocks.marks import H1, H3, MARKS, TAGS, P, tag_mark
from hinterland.crawler.parsing.blocks.text_blocks import Block, TextBlocks

_AROUND: Final = 4
_NEXT_TO: Final = (-1, 1, -2, 2)
_WINDOWS: Final = (3, 10)
_FARTHEST_HEADING: Final = 99
_NO_H1: Final = -9999
_COMMENTS, _PRODUCTS, _MESSAGES = 1 << 4, 1 << 19, 1 << 22
"""The marks of these groups in marks.WORDS."""


@dataclass(slots=True)
class _Sums:
    """Sums over the blocks in a container.

    `above` is the nearest container around it that has more blocks. The container, and each container around it, may be
    one of several similar siblings, which form a group: `best` is the size of the largest such group, and `best_chars`
    counts the characters of the group's sibling that contains this container or is this container.
    """

    blocks: int = 0
    chars: int = 0
    linked: int = 0
    stops: int = 0
    above: int = 0
    best: int = 0
    best_chars: int = 0


def block_numbers(page: TextBlocks, title: bytes) -> list[list[int]]:
    """Return the numbers that describe each block; `title` is the page's title in UTF-8."""
    blocks = page.blocks
    if not blocks:
        return []
    sums = _summed(page)
    texts = [page.text[block.start : block.end] for block in blocks]
    copies = Counter(texts)
    before = [(0, 0, 0)]
    for block in blocks:
        chars, linked, stops = before[-1]
        before.append((chars + block.chars, linked + block.linked, stops + block.stops))
    h1s = [place for place, block in enumerate(blocks) if block.kind == H1]
    of_page = _numbers_of_page(page, sums[0])
    since, found = _FARTHEST_HEADING, []
    for place, (block, text) in enumerate(zip(blocks, texts, strict=True)):
        since = 0 if H1 <= block.kind <= H3 else min(since + 1, _FARTHEST_HEADING)
        container, own_sums = page.containers[block.container], sums[block.container]
        numbers = [
            *(block.kind, block.chars, block.words + 1, _thousandths(block.digits, block.chars), block.stops),
            *(block.commas, _thousandths(block.upper, block.chars), _thousandths(block.linked, block.chars)),
            *(block.links, _ending(text), _in_title(text, title), container.depth),
            *(_thousandths(before[place][0], sums[0].chars), place, len(blocks) - 1 - place, since),
            *(place - h1s[0] if h1s else _NO_H1, len(h1s), own_sums.best, own_sums.best_chars, copies[text]),
        ]
        numbers += _marks(page, block)
        numbers += _around(sums, block.container)
        for way in _NEXT_TO:
            other = blocks[place + way] if 0 <= place + way < len(blocks) else None
            numbers += (
                (0, -1, 0) if other is None else (other.chars, _thousandths(other.linked, other.chars), other.kind)
            )
        for reach in _WINDOWS:
            low, high = max(place - reach, 0), min(place + reach + 1, len(blocks))
            chars, linked, stops = (b - a for a, b in zip(before[low], before[high], strict=True))
            numbers += (chars // (high - low), _thousandths(linked, chars), _thousandths(stops, chars))
        found.append(numbers + of_page)
    return found


def _thousandths(part: int, whole: int) -> int:
    return part * 1000 // whole if whole else 0


def _ending(text: bytes) -> int:
    return 1 if text[-1:] in (b".", b"!", b"?") else 2 if text[-1:] == b":" else 0


def _in_title(text: bytes, title: bytes) -> int:
    if len(text) < 8 or text not in title:
        return 0
    return 2 if len(text) == len(title) else 1


def _marks(page: TextBlocks, block: Block) -> list[int]:
    """Return, for each mark, a number that says how near an element with the mark is to the block.

    3 means the block's own element, 2 one of the two elements around it, 1 an element farther out, and 0 that no
    element has the mark.
    """
    container = page.containers[block.container]
    parent = page.containers[container.parent]
    own, all_around = container.own | block.marks, container.all | block.marks
    near = own | parent.own | page.containers[parent.parent].own
    return [(all_around >> mark & 1) + (near >> mark & 1) + (own >> mark & 1) for mark in range(MARKS)]


def _around(sums: Sequence[_Sums], container: int) -> list[int]:
    numbers, total = list[int](), sums[0].chars
    for _ in range(_AROUND):
        of = sums[container]
        numbers += (of.chars, _thousandths(of.linked, of.chars), of.blocks)
        numbers += (_thousandths(of.stops, of.chars), _thousandths(of.chars, total))
        container = of.above
    return numbers


def _summed(page: TextBlocks) -> list[_Sums]:
    """Return the sums over the blocks in each container."""
    containers = page.containers
    sums = [_Sums() for _ in containers]
    for block in page.blocks:
        of = sums[block.container]
        of.blocks, of.chars = of.blocks + 1, of.chars + block.chars
        of.linked, of.stops = of.linked + block.linked, of.stops + block.stops
    for place in range(len(containers) - 1, 0, -1):
        of, around = sums[place], sums[containers[place].parent]
        around.blocks, around.chars = around.blocks + of.blocks, around.chars + of.chars
        around.linked, around.stops = around.linked + of.linked, around.stops + of.stops
    for place in range(1, len(containers)):
        of, parent = sums[place], containers[place].parent
        around = sums[parent]
        of.above = parent if around.blocks > of.blocks else around.above
        of.best, of.best_chars = around.best, around.best_chars
        alike = containers[containers[place].group].group_size
        if alike > of.best:
            of.best, of.best_chars = alike, of.chars
    return sums


def _numbers_of_page(page: TextBlocks, total: _Sums) -> list[int]:
    blocks, containers = page.blocks, page.containers
    article, main = tag_mark(TAGS.index("article")), tag_mark(TAGS.index("main"))
    marks = [containers[block.container].all | block.marks for block in blocks]

    def share_of_text(mark: int) -> int:
        inside = sum(block.chars for block, known in zip(blocks, marks, strict=True) if known & mark)
        return _thousandths(inside, total.chars)

    def share_of_blocks(mark: int) -> int:
        return _thousandths(sum(1 for known in marks if known & mark), len(blocks))

    return [
        *(total.chars, _thousandths(total.linked, total.chars), len(blocks), _thousandths(total.stops, total.chars)),
        *(max(block.chars for block in blocks), sum(block.chars > 200 for block in blocks)),
        _thousandths(sum(block.chars for block in blocks if block.chars > 150), total.chars),
        _thousandths(sum(block.chars for block in blocks if block.kind == P), total.chars),
        sum(H1 < block.kind <= H3 for block in blocks),
        *(sum(bool(each.own & mark) for each in containers) for mark in (article, main)),
        *(share_of_text(mark) for mark in (main, article)),
        *(share_of_text(tag_mark(TAGS.index(tag))) for tag in ("nav", "footer")),
        *(share_of_blocks(mark) for mark in (_COMMENTS, _PRODUCTS, _MESSAGES)),
    ]
