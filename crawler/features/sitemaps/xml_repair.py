"""XML as sites write it, made readable without a DTD: bare ampersands, names of HTML's entities, `--` in comments.

No reference to a declared entity is left when the parser reads the text, so it can expand nothing.
"""

from __future__ import annotations

import re
from html.entities import html5
from typing import Final

_SPECIAL: Final = re.compile(r"<!--|<!\[CDATA\[|&(?!(?:amp|lt|gt|quot|apos);)")
_REFERENCE: Final = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z_:][\w.:-]{0,38}));")
_ALLOWED: Final = ((9, 10, 13), range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
"""Characters of XML 1.0, section 2.2."""
_LONGEST: Final = 42
"""The longest reference, or mark that begins a comment or a CDATA section."""


class XmlRepairer:
    """Takes pieces of XML, and gives the repaired text. Mutable. Comments are dropped, CDATA sections kept."""

    def __init__(self) -> None:
        """Start before the first piece."""
        self._held = ""
        """The end of the text, if its meaning depends on what follows."""
        self._until = ""
        """What ends the comment or the CDATA section that the text is in, or ""."""
        self.count = 0
        """How many special marks were handled."""

    def repair(self, text: str) -> str:
        """Return the repaired text of the next piece, without an end whose meaning is open."""
        return self._repaired(text, is_last=False)

    def rest(self) -> str:
        """Return what was held back; there is no further text."""
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
        """Go on inside a comment or a CDATA section; return the new position."""
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
        """Mend the text up to and including the next special mark; return the new position."""
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
    """Return where a mark may have begun that is cut off at the end of the text."""
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
