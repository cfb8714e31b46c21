"""The text of a page as headings and paragraphs, from the index or the store. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

MOST_CHARACTERS: Final = 100_000
"""Maximum length of the text that is shown."""
_LONGEST: Final = 700
"""Maximum length of a paragraph when text has to be divided."""
_LEAST: Final = 250
_LONGEST_HEADING: Final = 200
_SENTENCE_END: Final = re.compile(r"[.!?…](?:[\"'”’)\]]*)\s|[。！？]")
_SIGNS: Final = ("¶", "🔗", "#")
_PERMALINK: Final = re.compile(r"(?:\s*[¶🔗]|\s#)$")
"""The sign at the end of a heading that many generators link to the heading itself."""

Headings = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A heading or a paragraph.

    `level` is 1 to 6 for a heading, 0 for a paragraph, which may have several lines.
    """

    text: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class ReadableText:
    """The blocks of a text.

    `is_whole` means that nothing was cut off; `is_main` means that menus and similar parts were removed.
    """

    blocks: Sequence[TextBlock]
    is_whole: bool
    is_main: bool


def main_content(text: str, headings: Headings, title: str) -> ReadableText:
    """Return the main content of a page from its text in the index, where empty lines separate paragraphs.

    If the text begins with the title, this repetition is left out.
    """
    levels = {_same(heading): min(max(level, 1), 6) for level, heading in reversed(headings)}
    blocks: list[TextBlock] = []
    for paragraph in re.split(r"\n\s*\n", text[:MOST_CHARACTERS]):
        lines = "\n".join(line.rstrip() for line in paragraph.split("\n") if line.strip())
        name = _same(lines)
        if not name or (not any(block.level == 0 for block in blocks) and name == _same(title)):
            continue
        if blocks and _same(blocks[-1].text) == name:
            continue
        blocks.append(TextBlock(lines, levels.get(name, 0) if len(lines) <= _LONGEST_HEADING else 0))
    return ReadableText(blocks, len(text) <= MOST_CHARACTERS, True)


def all_text(text: str, headings: Headings) -> ReadableText:
    """Return the visible text, divided at empty lines, before headings and, in long parts, between sentences."""
    shown = text[:MOST_CHARACTERS]
    between = "\n\n" if "\n\n" in shown else "\n"
    blocks: list[TextBlock] = []
    for piece, level in _by_headings(shown, headings):
        if level:
            blocks.append(TextBlock(piece, level))
        else:
            blocks += [TextBlock(each) for line in piece.split(between) for each in _by_sentences(line.strip()) if each]
    return ReadableText(blocks, len(text) <= MOST_CHARACTERS, False)


def _by_headings(text: str, headings: Headings) -> Iterator[tuple[str, int]]:
    """Yield (text, level) for the headings, found in their order, and for the text between them."""
    place = 0
    for level, heading in headings:
        name = without_permalink(heading)
        if not name or len(name) > _LONGEST_HEADING:
            continue
        found = text.find(name, place)
        if found < 0:
            continue
        yield text[place:found].strip(), 0
        yield name, min(max(level, 1), 6)
        place = found + len(name)
    yield text[place:].strip(), 0


def _by_sentences(text: str) -> Iterator[str]:
    while len(text) > _LONGEST:
        end = next((found.end() for found in _SENTENCE_END.finditer(text, _LEAST, _LONGEST)), 0)
        end = end or text.rfind(" ", _LEAST, _LONGEST) + 1 or _LONGEST
        yield text[:end].strip()
        text = text[end:]
    yield text.strip()


def without_permalink(heading: str) -> str:
    """Return a heading in one line, without the permalink sign at its end."""
    name = " ".join(heading.split())
    return _PERMALINK.sub("", name) if name.endswith(_SIGNS) else name


def _same(text: str) -> str:
    """Return a text in the form in which texts are compared: without case, spacing and permalink sign."""
    return without_permalink(text).casefold()
