"""Writes the content of a document as HTML, which is then parsed like a page. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final


class UnreadableDocument(Exception):
    """Raised if a document cannot be read. The message says why."""


_URL: Final = re.compile(
    r"https?://[^\s<>\"'`{}|\\^\[\]\u200b-\u200f\u201c-\u201f\u2026\u202a-\u202e\u2060\u2066-\u2069\ufeff"
    r"\u3000-\u3003\u3008-\u3011\u3014-\u301f\u30fb\ufe10-\ufe19\ufe30-\ufe44\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b"
    r"\uff1c\uff1e\uff1f\uff3b\uff3d\uff5b-\uff65]{1,2000}",
    re.IGNORECASE,
)
"""Matches a URL up to a character that no URL contains, such as Chinese and Japanese punctuation, which follows without
a space, and invisible marks.
"""
_AFTER_A_URL: Final = ".,;:!?)*»›”’\u060c\u061b\u061f\u06d4\u0964\u0965\u0589\u1362"
"""Marks that end a sentence, in several scripts, or emphasis in Markdown; they are not part of a preceding URL."""
_AROUND_A_URL: Final = "_~"
"""Marks of emphasis with which URLs may also end; they are not part of a URL if they also precede it."""
_NOT_IN_HTML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(slots=True)
class Rendition:
    """The content of a document. Mutable while it is read.

    `blocks` holds (element, text), where the element is p, pre, li, td or h1 to h6. `hrefs` holds links whose text is
    unknown.
    """

    title: str = ""
    language: str = ""
    blocks: list[tuple[str, str]] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    """Footnotes, as blocks that are appended after the others."""

    def html(self) -> bytes:
        """Return the content as HTML in UTF-8. URLs in the text become links."""
        parts = [f'<!doctype html><html lang="{_safe(self.language)}"><title>{_safe(self.title)}</title><body>\n']
        parts += [f"<{element}>{_linked(text)}</{element}>\n" for element, text in self.blocks]
        parts += [f'<a href="{_safe(href)}"></a>' for href in dict.fromkeys(self.hrefs)]
        return "".join(parts).encode("utf-8", "replace")


def first_line(texts: Iterable[str], most: int = 200) -> str:
    """Return the first line with a letter or digit, shortened to `most` characters."""
    for text in texts:
        for line in text.splitlines():
            if any(character.isalnum() for character in line):
                return line.strip()[:most]
    return ""


def urls_in(text: str) -> Sequence[tuple[int, int]]:
    """Return the start and end of each URL in a text, without the punctuation at the end of a sentence."""
    found = []
    for match in _URL.finditer(text):
        end = match.end()
        around = text[match.start() - 1] if match.start() else ""
        ends = _AFTER_A_URL + around if around in _AROUND_A_URL else _AFTER_A_URL
        while text[end - 1] in ends:
            if text[end - 1] == ")" and text.count(")", match.start(), end) <= text.count("(", match.start(), end):
                break
            end -= 1
        found.append((match.start(), end))
    return found


def _linked(text: str) -> str:
    parts, done = [], 0
    for start, end in urls_in(text):
        url = _safe(text[start:end])
        parts += [_safe(text[done:start]), f'<a href="{url}">{url}</a>']
        done = end
    return "".join([*parts, _safe(text[done:])])


def _safe(text: str) -> str:
    return escape(_NOT_IN_HTML.sub(" ", text))
