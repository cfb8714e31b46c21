"""Cuts a page into chunks of bounded size, as models for embeddings need them. Pure.

A chunk is a run of blocks: the blocks below one heading or, if they are short, below several headings. A block is cut
only if it alone exceeds the bound: text after sentences or words, tables after rows, code after lines. The chunks
contain all text of the page once, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hinterland.crawler.parsing.markdown.markdown_blocks import (
    Around,
    BlockKind,
    MarkdownBlock,
    markdown_of,
    section_paths,
)
from hinterland.crawler.parsing.markdown.token_estimate import estimated_tokens

LEAST_TOKENS: Final = 32
"""The lowest bound: it has room for one line with the head of its table or the fence of its code."""
_SHORT: Final = 4
"""A heading begins a chunk if the chunk before has at least the bound divided by this."""
_ATOM: Final = re.compile(
    r"(?:!?\[(?:[^\[\]\\]|\\.){0,2000}\]\((?:<[^<>]*>|[^\s()]*)\)|`[^`]*`|\\.|\S)+\s*|\s+", re.DOTALL
)
"""Matches a word, or a whole link or piece of code, with the space after it."""
_SENTENCE_END: Final = re.compile(r"[.!?\u3002\uff01\uff1f\u2026][\"')\]*_]*\s+$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk: Markdown, its estimated tokens, and the section of its first block, see section_paths.

    `cuts_code` says that the chunk is a part of a block of code that exceeds the bound by itself.
    """

    section: tuple[str, ...]
    anchor: str
    text: str
    tokens: int
    cuts_code: bool = False


@dataclass(slots=True)
class _Held:
    """A block that waits for its chunk, with an upper bound of the tokens that it adds."""

    block: MarkdownBlock
    section: tuple[str, ...]
    anchor: str
    tokens: int
    cuts_code: bool = False


def chunks_of(blocks: Sequence[MarkdownBlock], most_tokens: int) -> Iterator[Chunk]:
    """Yield the chunks of a page, none with more than `most_tokens`, which is at least LEAST_TOKENS."""
    held: list[_Held] = []
    tokens = 0
    for item in _pieces(blocks, most_tokens):
        begins = item.block.level > 0 and tokens * _SHORT >= most_tokens and not held[-1].block.level
        if held and (begins or tokens + item.tokens > most_tokens or item.cuts_code or held[-1].cuts_code):
            kept = len(held)
            while kept and held[kept - 1].block.level:  # a heading stays with the blocks below it
                kept -= 1
            kept = kept or len(held)
            yield _chunk(held[:kept])
            held = held[kept:]
            tokens = sum(each.tokens for each in held)
            if held and (tokens + item.tokens > most_tokens or item.cuts_code):
                yield _chunk(held)
                held, tokens = [], 0
        held.append(item)
        tokens += item.tokens
    if held:
        yield _chunk(held)


def _chunk(held: Sequence[_Held]) -> Chunk:
    text = markdown_of([each.block for each in held]).rstrip("\n")
    return Chunk(held[0].section, held[0].anchor, text, estimated_tokens(text), held[0].cuts_code)


def _pieces(blocks: Sequence[MarkdownBlock], most: int) -> Iterator[_Held]:
    """Yield the blocks; a block that exceeds the bound comes in parts."""
    for block, (section, anchor) in zip(blocks, section_paths(blocks), strict=True):
        if _overhead(block.inside, block.begins, 2) > most // 4:
            block = replace(block, inside=(), begins=0)
        if (tokens := _tokens(block)) <= most:
            yield _Held(block, section, anchor, tokens)
            continue
        parts = _parts(block, most)
        for number, part in enumerate(parts):
            begins = 0 if number else block.begins
            made = replace(block, text=part, begins=begins, level=0, kind=_kind(block.kind))
            cuts_code = block.kind == BlockKind.CODE and len(parts) > 1
            yield _Held(made, section, anchor, _tokens(made), cuts_code)


def _kind(kind: BlockKind) -> BlockKind:
    return kind if kind in (BlockKind.CODE, BlockKind.TABLE) else BlockKind.TEXT


def _tokens(block: MarkdownBlock) -> int:
    """Return an upper bound of the tokens that a block adds to a chunk."""
    lines = block.text.count("\n") + 1
    return estimated_tokens(block.text) + 2 + _overhead(block.inside, block.begins, lines + 1)


def _overhead(inside: Sequence[Around], begins: int, lines: int) -> int:
    marks = sum(estimated_tokens(each.first) for each in inside[len(inside) - begins :])
    return marks + lines * sum(bool(each.rest.strip()) for each in inside)


def _parts(block: MarkdownBlock, most: int) -> list[str]:
    """Return the text of a block in parts that are within the bound."""
    overhead = _overhead(block.inside, block.begins, 1) + 4
    quotes = sum(bool(each.rest.strip()) for each in block.inside)
    lines = block.text.split("\n")
    if block.kind == BlockKind.CODE:
        first, *code, last = lines
        room = most - overhead - estimated_tokens(first) - estimated_tokens(last) - 2 - 2 * quotes
        return ["\n".join((first, *part, last)) for part in _grouped(code, room, quotes)]
    if block.kind == BlockKind.TABLE:
        columns = lines[1].count("---")
        empty = "|" + " |" * columns
        head = 2 * estimated_tokens(lines[1]) + 2 * (1 + quotes)
        room = most - overhead - head
        if room > most // 2 and max(map(estimated_tokens, (lines[0], *lines[2:]))) + 1 + quotes <= room:
            parts = _grouped(lines[2:], room - estimated_tokens(lines[0]), quotes) or [[]]
            return ["\n".join((empty if number else lines[0], lines[1], *part)) for number, part in enumerate(parts)]
    return _cut_text(block.text, most - overhead - quotes, quotes)


def _grouped(lines: Sequence[str], room: int, more: int) -> list[list[str]]:
    """Return lines in groups of at most `room` tokens; each line costs `more` extra tokens, and long lines are cut."""
    groups: list[list[str]] = []
    tokens = room
    for line in lines:
        for part in [line] if estimated_tokens(line) + 1 + more <= room else _cut_line(line, room - 1 - more):
            cost = estimated_tokens(part) + 1 + more
            if tokens + cost > room:
                groups.append([])
                tokens = 0
            groups[-1].append(part)
            tokens += cost
    return groups


def _cut_line(line: str, room: int) -> list[str]:
    """Return a line in parts of at most `room` characters; a character is at most one token."""
    room = max(room, 1)
    return [line[start : start + room] for start in range(0, len(line), room)]


def _cut_text(text: str, room: int, more: int) -> list[str]:
    """Return a text in parts of at most `room` tokens.

    A part ends after a sentence, if one ends in the second half of the part, or else after a word. Each line break
    costs `more` extra tokens.
    """
    atoms = [
        part
        for found in _ATOM.finditer(text)
        for part in ([found[0]] if _cost(found[0], more) <= room else _cut_line(found[0], room // (1 + more)))
    ]
    parts: list[str] = []
    held: list[str] = []
    tokens = 0
    for atom in atoms:
        if held and tokens + _cost(atom, more) > room:
            ends = [place for place, each in enumerate(held, 1) if _SENTENCE_END.search(each)]
            cut = ends[-1] if ends and ends[-1] * 2 >= len(held) else len(held)
            parts.append("".join(held[:cut]).strip())
            held = held[cut:]
            tokens = sum(_cost(each, more) for each in held)
        held.append(atom)
        tokens += _cost(atom, more)
    parts.append("".join(held).strip())
    return [part for part in parts if part]


def _cost(atom: str, more: int) -> int:
    return estimated_tokens(atom) + more * atom.count("\n")
