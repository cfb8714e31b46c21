"""Writes text with emphasis, code, links and pictures as Markdown: CommonMark, and GFM's strikethrough. Pure.

The text comes in pieces, each with its style. Marks are written only where CommonMark reads them as marks. `**a:**b` is
not bold, so the emphasis is left out there, and only the text is written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple


class Style:
    """How a piece of text is shown: a sum of these flags.

    They are plain numbers because `enum.Flag` would take a third of the time of writing a page.
    """

    PLAIN: Final = 0
    STRONG: Final = 1
    EMPHASIS: Final = 2
    STRUCK: Final = 4
    CODE: Final = 8
    RAISED: Final = 16
    LOWERED: Final = 32
    RAW: Final = 64
    """The piece is Markdown already, such as a picture."""


class Piece(NamedTuple):
    """A piece of text; a line feed in it is an intended end of a line. `href` is where a link leads."""

    text: str
    style: int = Style.PLAIN
    href: str = ""


_MARKS: Final = ((Style.STRONG, "**"), (Style.EMPHASIS, "*"), (Style.STRUCK, "~~"))
_TAGS: Final = ((Style.RAISED, "sup"), (Style.LOWERED, "sub"))
_MARKED: Final = Style.STRONG | Style.EMPHASIS | Style.STRUCK
_SPECIAL: Final = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)|`|\*(?! )|(?<! )\*|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?]|$)"
    r"|&(?=#|[A-Za-z][A-Za-z0-9]*;)|~(?=~|$)|(?<=~)~|\](?=[(\[:]|$)"
)
"""Matches characters that CommonMark would read as marks in their context."""
_MAY_BE_SPECIAL: Final = re.compile(r"[\\`*_<&~\]]")
"""The same without the context, for a first check in a tenth of the time."""
_LINE_START: Final = re.compile(
    r"^(?:(?P<mark>\#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|-{2,}\s*$|~{3}|\|)|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$))",
    re.MULTILINE,
)
_NOT_IN_A_LINK: Final = re.compile(r"[\x00-\x20<>\\\x7f]")
_BRACKET: Final = re.compile(r"(?<!\\)[\[\]]")
_LINE_END: Final = re.compile(r" *\n *")
_SPACES: Final = " \n"


def inline_markdown(pieces: Sequence[Piece], line_end: str = "\\\n") -> str:
    """Return the pieces as Markdown that begins a line. `line_end` is what is written for the end of a line."""
    written = ""
    merged = _merged(pieces)
    if len(merged) == 1 and not merged[0].style and not merged[0].href:
        return _ended(_with_backslashes(merged[0].text), line_end)
    for href, group in groupby(merged, key=lambda piece: piece.href):
        text, lead, trail = _without_edges(_styled(list(group), written[-1:], is_link=bool(href)))
        if not href or not text:
            written += lead + text + trail
            continue
        written += lead
        if written.endswith("!"):
            written = written[:-1] + "\\!"
        written += f"[{text}]({_destination(href)}){trail}"
    return _ended(written, line_end)


def _ended(text: str, line_end: str) -> str:
    """Return Markdown with `line_end` at the ends of lines, and with escapes where a line would begin a block."""
    text = text.strip(_SPACES)
    if "\n" in text:
        return _LINE_END.sub(lambda _: line_end, _LINE_START.sub(_escaped_start, text))
    start = _LINE_START.match(text)
    return text if start is None else _escaped_start(start) + text[start.end() :]


def plain_text(pieces: Sequence[Piece]) -> str:
    """Return the text of the pieces, without pictures."""
    return " ".join("".join(piece.text for piece in pieces if not piece.style & Style.RAW).split())


def picture(alt: str, source: str) -> Piece:
    """Return a picture as a piece."""
    return Piece(f"![{_in_brackets(_with_backslashes(alt))}]({_destination(source)})", Style.RAW)


def code_span(text: str) -> str:
    """Return text as inline code."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" or (text[:1] == text[-1:] == " " and text.strip()) else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with neighbours of the same style joined."""
    found: list[Piece] = []
    last_style, last_href = -1, ""
    for piece in pieces:
        text, style, href = piece
        if style == last_style and href == last_href and not style & Style.RAW:
            found[-1] = Piece(found[-1].text + text, style, href)
        elif text:
            found.append(piece)
            last_style, last_href = style, href
    return found


def _styled(pieces: Sequence[Piece], before: str, *, is_link: bool) -> str:
    """Return, as Markdown, pieces that have the same link; `before` is the character before them."""
    if not any(piece.style & _MARKED for piece in pieces):
        return "".join([_written(piece, is_link=is_link) for piece in pieces])
    groups = [
        (marked, "".join(_written(piece, is_link=is_link) for piece in group))
        for marked, group in groupby(pieces, key=lambda piece: piece.style & _MARKED)
    ]
    written = "[" if is_link else before
    for place, (marked, whole) in enumerate(groups):
        text, lead, trail = _without_edges(whole)
        written += lead
        after = trail or next((later for _, later in groups[place + 1 :] if later), "")
        for style, mark in reversed(_MARKS):
            if marked & style and text and _may_open(written[-1:], text, mark) and _may_close(text, after[:1]):
                text = f"{mark}{text}{mark}"
        written += text + trail
    return written[len("[" if is_link else before) :]


def _written(piece: Piece, *, is_link: bool) -> str:
    """Return a piece as Markdown, without its emphasis."""
    if not piece.style:
        text = _with_backslashes(piece.text)
        return _in_brackets(text) if is_link else text
    if piece.style & Style.RAW:
        return piece.text
    if piece.style & Style.CODE and (inner := piece.text.strip(_SPACES)):
        _, lead, trail = _without_edges(piece.text)
        text = lead + "\n".join(code_span(line) for line in inner.split("\n") if line) + trail
    else:
        text = _with_backslashes(piece.text)
        if is_link:
            text = _in_brackets(text)
    for style, tag in _TAGS:
        if piece.style & style and text.strip(_SPACES):
            text = f"<{tag}>{text}</{tag}>"
    return text


def _without_edges(text: str) -> tuple[str, str, str]:
    """Return a text without the white space around it, then the white space before and after it."""
    inner = text.strip(_SPACES)
    if not inner:
        return "", text, ""
    start = text.index(inner[0])
    return inner, text[:start], text[start + len(inner) :]


def _may_open(before: str, text: str, mark: str) -> bool:
    if before == mark[0]:  # adjacent marks would be read as one
        return False
    return not _is_punctuation(text[0]) or not before or before.isspace() or _is_punctuation(before)


def _may_close(text: str, after: str) -> bool:
    return not _is_punctuation(text[-1]) or not after or after.isspace()


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _in_brackets(text: str) -> str:
    return _BRACKET.sub(_backslashed, text) if "[" in text or "]" in text else text


def _with_backslashes(text: str) -> str:
    """Return text with a backslash before every character that would be read as a mark."""
    return text if _MAY_BE_SPECIAL.search(text) is None else _SPECIAL.sub(_backslashed, text)


def _backslashed(found: re.Match[str]) -> str:
    return "\\" + found[0]


def _escaped_start(found: re.Match[str]) -> str:
    return f"{found['number']}\\{found['dot']}" if found["mark"] is None else "\\" + found["mark"]


def _destination(url: str) -> str:
    """Return a URL as it is written in a link."""
    url = _NOT_IN_A_LINK.sub(lambda found: f"%{ord(found[0]):02X}", url)
    return f"<{url}>" if "(" in url or ")" in url else url
