"""Repairs common errors in XML: bare ampersands, HTML's named entities, and `--` in comments.

References to entities that the document declares are removed, so a document cannot abuse their expansion.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Final

_SPECIAL: Final = re.compile(r"<!--|<!\[CDATA\[|&(?!(?:amp|lt|gt|quot|apos);)")
_REFERENCE: Final = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z_:][\w.:-]{0,38}));")
_ALLOWED: Final = ((9, 10, 13), range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
"""The characters that XML 1.0 allows, section 2.2."""
_LONGEST: Final = 42
"""The most characters of a reference, or of the start of a comment or a CDATA section."""


class XmlRepairer:
    """Takes pieces of XML and returns repaired text, without comments but with CDATA sections. Mutable."""

    def __init__(self) -> None:
        """Start before the first piece."""
        self._held = ""
        """The end of the last piece, if its meaning depends on the next piece."""
        self._until = ""
        """The string that ends the comment or CDATA section at the present position; "" outside of these."""
        self.count = 0
        """How many references and marks were handled."""

    def repair(self, text: str) -> str:
        """Repair the next piece. The end is held back if its meaning depends on the piece after it."""
        return self._repaired(text, is_last=False)

    def rest(self) -> str:
        """Return the text that was held back, after the last piece."""
        return self._repaired("", is_last=True)

    def _repaired(self, text: str, *, is_last: bool) -> str:
        text, self._held = self._held + text, ""
        parts: list[str] = []
        position = 0
        while position < len(text):
            step = self._section if self._until else self._markup
            position = step(text, position, parts, is_last)
        return "".join(parts)

    def _section(self, text: str, start: int, parts: list[str], is_last: bool) -> int:
        """Continue inside a comment or a CDATA section; return the position up to which the text was read."""
        end = text.find(self._until, start)
        if end >= 0:
            stop = end + len(self._until)
        else:
            stop = len(text) if is_last else max(len(text) - len(self._until) + 1, start)
            self._held = text[stop:]
        if self._until == "]]>":
            parts.append(text[start:stop])
        if end >= 0:
            self._until = ""
            return stop
        return len(text)

    def _markup(self, text: str, start: int, parts: list[str], is_last: bool) -> int:
        """Repair the text up to the end of the next reference, or of the next beginning of a comment or CDATA section.

        Return the position after it.
        """
        found = _SPECIAL.search(text, start)
        if found is None:
            stop = len(text) if is_last else _unfinished(text, start)
            parts.append(text[start:stop])
            self._held = text[stop:]
            return len(text)
        self.count += 1
        parts.append(text[start : found.start()])
        if found[0] == "<!--":
            self._until = "-->"
            return found.end()
        if found[0] == "<![CDATA[":
            parts.append(found[0])
            self._until = "]]>"
            return found.end()
        reference = _REFERENCE.match(text, found.start())
        if reference is not None:
            parts.append(_repaired(reference))
            return reference.end()
        if not is_last and len(text) - found.start() < _LONGEST:
            self._held = text[found.start() :]
            return len(text)
        parts.append("&amp;")
        return found.end()


def _unfinished(text: str, start: int) -> int:
    """Return where the text may end with part of a mark such as "<!--"; its length if it does not."""
    place = text.rfind("<", max(start, len(text) - len("<![CDATA[") + 1))
    is_begun = place >= 0 and any(mark.startswith(text[place:]) for mark in ("<!--", "<![CDATA["))
    return place if is_begun else len(text)


def _repaired(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name in ("amp", "lt", "gt", "quot", "apos"):
        return reference[0]
    if name is not None:
        return "".join(f"&#{ord(character)};" for character in html5.get(f"{name};", ""))
    number = int(decimal) if decimal else int(hexadecimal, 16)
    return f"&#{number};" if any(number in each for each in _ALLOWED) else "\ufffd"
