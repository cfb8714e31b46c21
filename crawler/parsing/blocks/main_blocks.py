"""Finds the blocks of a page's text that are its main content. Pure.

A sum of small trees over the numbers of a block (`block_numbers`) says how likely the block is main content. The
threshold is chosen for each page, so that the expected F measure over its words is highest. So pages of little text,
such as a list of products, are judged more leniently than an article among menus.

The result is stored as the lengths of runs of blocks: blocks outside the main content, then blocks inside it, and so on
in turn. The lengths are numbers in base 128, the last digit of each without the high bit (LEB128). The runs are valid
only together with their text, in which an empty line separates two blocks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from hinterland.crawler.parsing.blocks.marks import CELLS, DEFINITIONS, PRE
from hinterland.crawler.parsing.blocks.model_numbers import FIRST, TREES
from hinterland.crawler.parsing.html.page_bounds import MAX_BLOCKS

BETWEEN_BLOCKS: Final = "\n\n"
_CODE: Final = 1
_KEPT_WHOLE: Final = {PRE: _CODE, **dict.fromkeys(CELLS, 2), **dict.fromkeys(DEFINITIONS, 3)}
BUCKETS: Final = 256
BUCKET_WIDTH: Final = 64
UNIT: Final = 1024
"""The score that stands for log-odds of 1."""
CHANCES: Final = tuple(
    round(1000 / (1 + math.exp(-(bucket - BUCKETS // 2 + 0.5) * BUCKET_WIDTH / UNIT))) for bucket in range(BUCKETS)
)
"""The probability of main content by bucket of the score, in thousandths."""


@dataclass(frozen=True, slots=True)
class Model:
    """A sum of trees.

    `nodes` holds four values for each node: the index of the number to compare, the threshold, the next node for
    numbers up to the threshold, and the next node for greater numbers. For a leaf these are -1, the score, 0, 0.
    `roots` holds the first node of each tree, and `first` is added to the sum of the scores.
    """

    first: int
    nodes: Sequence[int]
    roots: Sequence[int]


@cache
def main_content_model() -> Model:
    """Return the model whose trees are in `model_numbers`."""
    nodes: list[int] = []
    roots: list[int] = []
    for line in TREES.split(";"):
        if tree := [int(number) for number in line.split()]:
            start = len(nodes) // 4
            roots.append(start)
            for place in range(0, len(tree), 4):
                what, value, left, right = tree[place : place + 4]
                nodes += (what, value, start + left, start + right)
    return Model(FIRST, nodes, roots)


def score(numbers: Sequence[int], model: Model) -> int:
    """Return the score of a block: log-odds in units of UNIT."""
    nodes, total = model.nodes, model.first
    for root in model.roots:
        at = 4 * root
        while nodes[at] >= 0:
            at = 4 * nodes[at + 2 if numbers[nodes[at]] <= nodes[at + 1] else at + 3]
        total += nodes[at + 1]
    return total


def main_runs(scores: Sequence[int], words: Sequence[int], kinds: Sequence[int]) -> bytes:
    """Return which blocks are main content, as runs (see the module).

    The arguments give the score, the number of words and the kind (see marks) of each block.
    """
    if not scores or len(scores) > MAX_BLOCKS:
        return b""
    buckets = [min(max(each + BUCKETS // 2 * BUCKET_WIDTH, 0) // BUCKET_WIDTH, BUCKETS - 1) for each in scores]
    least = _least_bucket(buckets, words)
    return packed_runs(_whole([bucket >= least for bucket in buckets], words, kinds))


def _whole(is_main: list[bool], words: Sequence[int], kinds: Sequence[int]) -> list[bool]:
    """Give all parts of a table, of a list of definitions, or of code the same flag, and return the flags.

    The parts of each become main content if at least half of their words are. Code also becomes main content if the
    block before or after it is.
    """
    start = 0
    while start < len(kinds):
        kept, end = _KEPT_WHOLE.get(kinds[start], 0), start + 1
        while end < len(kinds) and kept and _KEPT_WHOLE.get(kinds[end], 0) == kept:
            end += 1
        if kept:
            inside = sum(count for count, main in zip(words[start:end], is_main[start:end], strict=True) if main)
            beside = (start > 0 and is_main[start - 1]) or (end < len(kinds) and is_main[end])
            all_are = 2 * inside >= sum(words[start:end]) or (kept == _CODE and beside)
            is_main[start:end] = [all_are] * (end - start)
        start = end
    return is_main


def _least_bucket(buckets: Sequence[int], words: Sequence[int]) -> int:
    """Return the lowest bucket that counts as main content.

    If p is the probability and w the words of a block, the expected F of a choice C is about

        (1 + b) * sum(p * w in C) / (sum(w in C) + b * sum(p * w))

    With b = 1, that is F1. With b = 4/5, which is used here, F1 was the same on the development pages of WCXB, each
    judged by trees that had not seen its domain, but a seventh less of the text outside the main content was taken for
    main content.
    """
    sizes = [0] * BUCKETS
    for bucket, count in zip(buckets, words, strict=True):
        sizes[bucket] += count
    total = sum(map(int.__mul__, sizes, CHANCES)) * 4 // 5
    inside = size = above = 0
    below, least = 1, BUCKETS
    for bucket in reversed(range(BUCKETS)):
        if sizes[bucket]:
            inside += sizes[bucket] * CHANCES[bucket]
            size += sizes[bucket] * 1000
            if inside * below > above * (size + total):
                above, below, least = inside, size + total, bucket
    return least


def packed_runs(is_main: Iterable[bool]) -> bytes:
    """Return the flags of blocks as runs in the form in which they are stored (see the module)."""
    runs, inside = [0], False
    for each in is_main:
        if each != inside:
            runs.append(0)
            inside = each
        runs[-1] += 1
    packed = bytearray()
    for run in runs:
        while run >= 0x80:
            packed.append(run & 0x7F | 0x80)
            run >>= 7
        packed.append(run)
    return bytes(packed)


def main_flags(runs: bytes) -> Iterator[bool]:
    """Yield, for each block, whether it is main content."""
    inside, run, shift = False, 0, 0
    for byte in runs:
        run |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            for _ in range(run):
                yield inside
            inside, run, shift = not inside, 0, 0


def joined_runs(parts: Sequence[bytes]) -> bytes:
    """Return the runs of several texts joined into one; b"" if the runs of any text are unknown."""
    if len(parts) < 2 or not all(parts):
        return parts[0] if len(parts) == 1 else b""
    return packed_runs(flag for part in parts for flag in main_flags(part))


def main_text(text: str, runs: bytes) -> str:
    """Return the blocks of a text that are main content."""
    return BETWEEN_BLOCKS.join(main_blocks(text, runs))


def main_blocks(text: str, runs: bytes) -> list[str]:
    """Return the blocks of a text that are main content; all blocks if that is unknown."""
    blocks = text.split(BETWEEN_BLOCKS)
    return [block for block, is_main in zip(blocks, main_flags(runs), strict=False) if is_main] if runs else blocks
