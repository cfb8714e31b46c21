"""Corrects typing mistakes in seeds. Pure."""

from __future__ import annotations

import re
from typing import Final

_INVISIBLE: Final = re.compile(
    "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x08\x0e-\x1f\x7f]"
)
_NOTE: Final = re.compile(r"\t|\s+#|\s{2,}|\s+[|,;\u2013\u2014-](?=\s|$)|[,;](?=\s|$)")
"""The beginning of a note after a URL: a tab, "#" after a space, several spaces, or a punctuation mark before a space.
"""
_PAIRS: Final = {
    **{mark: mark for mark in "\"'`"},
    **dict(zip("\u201c\u2018\u00ab<(", "\u201d\u2019\u00bb>)", strict=True)),
    "\u201e": "\u201c\u201d",
}
"""Opening quotation marks and brackets, each with its closing counterpart."""
_QUOTED: Final = re.compile(
    "(?:\"[^\"]+\"|'[^']+'|`[^`]+`|<[^<>]+>|\u201c[^\u201d]+\u201d|\u201e[^\u201c\u201d]+[\u201c\u201d])(?=[\\s,;|]|$)"
)
_MARKDOWN: Final = re.compile(r"\[[^\]]*\]\(<?([^\s()<>]+)>?\)")
_BULLET: Final = re.compile(r"(?:[-*+\u2022]|\d{1,4}[.)])\s+(?=\S*[.:/])")
_DOUBLED: Final = re.compile(r"(?:https?\s*[:;\uff1a]*[/\\]{1,3}\s*)+(?=https?\s*[:;\uff1a]*[/\\]{2})", re.IGNORECASE)
_SLOPPY: Final = re.compile(r"(https?)\s*[:;\uff1a]*\s*[/\\]{2,3}\s*", re.IGNORECASE)
_MISTYPED: Final = re.compile(r"(?!https?:)h{0,2}t{1,3}p{1,2}(s{0,2})[:;]+[/\\]{2,3}", re.IGNORECASE)


def without_note(line: str) -> tuple[str, str]:
    """Return (seed, note) from a line of a file; the note is "" if there is none or if it begins with "#"."""
    line = line.strip()
    bullet = _BULLET.match(line)
    start = 0 if bullet is None else bullet.end()
    if quoted := _QUOTED.match(line, start):
        seed, note = line[: quoted.end()], line[quoted.end() :].strip(" \t,;|")
    elif found := _NOTE.search(line, start):
        seed, note = line[: found.start()], line[found.start() :].strip(" \t,;|")
    else:
        return line, ""
    return seed, "" if note.startswith("#") else note


def visible(text: str) -> str:
    """Return the text without surrounding white space and without invisible characters."""
    return _INVISIBLE.sub("", text).strip()


def meant_seed(text: str) -> str:
    """Return the seed that the user probably meant.

    Quotation marks, brackets, bullets and invisible characters are removed. Of several schemes only one is kept, and
    its spelling is corrected.
    """
    text = visible(text)
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    if link := _MARKDOWN.match(text):
        text = link[1]
    text = text.rstrip(",;").rstrip()
    while len(text) > 2 and text[-1] in _PAIRS.get(text[0], ()):
        text = text[1:-1].strip()
    if text[:1] in tuple("\"'\u201c\u201d"):  # an unclosed one
        text = text[1:]
    elif text[-1:] in tuple('"\u201c\u201d') and text.count(text[-1]) == 1:
        text = text[:-1]
    if text.startswith("//"):
        return text.lstrip("/")
    if doubled := _DOUBLED.match(text):
        text = text[doubled.end() :]
    if sloppy := _SLOPPY.match(text):
        return f"{sloppy[1]}://{text[sloppy.end() :]}"
    if mistyped := _MISTYPED.match(text):
        return f"http{'s' if mistyped[1] else ''}://{text[mistyped.end() :]}"
    return text
