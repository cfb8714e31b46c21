"""What a document says, as the HTML that the reading of pages begins with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final


class UnreadableDocument(Exception):
    """A document cannot be read; the message says why."""


_URL: Final = re.compile(r"https?://[^\s<>\"'`{}|\\^\[\]]{1,2000}")
_AFTER_A_URL: Final = ".,;:!?)»”’"
_NOT_IN_HTML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


@dataclass(slots=True)
class Rendition:
    """Mutable while a document is read. blocks: (element, text), where the element is one of p, pre, li, td, h1 to h6;
    hrefs: links whose text is not known."""

    title: str = ""
    language: str = ""
    blocks: list[tuple[str, str]] = field(default_factory=list)
    hrefs: list[str] = field(default_factory=list)

    def html(self) -> bytes:
        """UTF-8. URLs that stand in the text are links, too."""
        parts = [f'<!doctype html><html lang="{_safe(self.language)}"><title>{_safe(self.title)}</title><body>\n']
        parts += [f"<{element}>{_linked(text)}</{element}>\n" for element, text in self.blocks]
        parts += [f'<a href="{_safe(href)}"></a>' for href in dict.fromkeys(self.hrefs)]
        return "".join(parts).encode("utf-8", "replace")


def first_line(texts: Iterable[str], most: int = 200) -> str:
    """The first line of texts that says something."""
    for text in texts:
        for line in text.splitlines():
            if any(character.isalnum() for character in line):
                return line.strip()[:most]
    return ""


def urls_in(text: str) -> Sequence[tuple[int, int]]:
    """Where URLs stand in a text, (start, end) each, without the marks that end a sentence."""
    found = []
    for match in _URL.finditer(text):
        end = match.end()
        while text[end - 1] in _AFTER_A_URL:
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
