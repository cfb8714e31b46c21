"""Reads plain text and Markdown. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.documents.rendition import Rendition, UnreadableDocument, first_line

_LOOKED_AT = 4096


def read_text(body: bytes, content_type: str | None) -> Rendition:
    """Return the content of a plain text. Raises UnreadableDocument for bytes that are not text."""
    text = decoded(body, content_type)
    return Rendition(title=first_line([text]), blocks=[("pre", text)])


def markdown_html(body: bytes, content_type: str | None) -> bytes:
    """Convert CommonMark, with tables, to HTML in UTF-8.

    The title is the first heading or, without headings, the first line. Raises UnreadableDocument.
    """
    from markdown_it import MarkdownIt

    text = _without_front_matter(decoded(body, content_type))
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    headings = [inline.content for opening, inline in pairwise(tokens) if opening.type == "heading_open"]
    head = Rendition(title=first_line([*headings[:1], text])).html()
    rendered: str = markdown.renderer.render(tokens, markdown.options, {})
    return head + rendered.encode("utf-8", "replace")


def decoded(body: bytes, content_type: str | None) -> str:
    """Return the text. Raises UnreadableDocument for bytes that are not text."""
    name = sniff_encoding(body, content_type, "utf-8").name
    beginning = body[:_LOOKED_AT]
    if b"\0" in beginning and not name.startswith("utf-16"):
        raise UnreadableDocument("it is labelled as text, but contains NUL bytes")
    return decode(body, name)


def _without_front_matter(text: str) -> str:
    """Return the text without front matter: YAML between lines of dashes, TOML between lines of plus signs, or JSON.

    A line of dashes may also be a rule, so all lines up to the closing one must look like YAML.
    """
    text = _NEW_LINE.sub("\n", text.removeprefix("\ufeff"))
    for fences, key, other in ((_YAML, _KEY_OF_YAML, _LINE_OF_YAML), (_TOML, _KEY_OF_TOML, _LINE_OF_TOML)):
        found = fences.match(text)
        if found is not None and _are_settings(found[1].splitlines(), key, other):
            return text[found.end() :]
    if text.startswith("{\n"):
        with suppress(ValueError, RecursionError):
            return text[json.JSONDecoder().raw_decode(text)[1] :]
    return text


def _are_settings(lines: Sequence[str], key: re.Pattern[str], other: re.Pattern[str]) -> bool:
    if not lines or not lines[0].strip():
        return False
    first = next((line for line in lines if line.strip() and not line.startswith("#")), None)
    if first is not None and not key.match(first):
        return False
    return all(key.match(line) or other.match(line) for line in lines)


_NEW_LINE: Final = re.compile(r"\r\n?")
_YAML: Final = re.compile(r"---(?:[ \t]+#[^\n]*|[ \t]*)\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML: Final = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_KEY_OF_YAML: Final = re.compile(r"(?:[\w$@.<][^:\n]{0,200}|\"[^\"]*\"|'[^']*')\s*:(?:\s|$)")
_LINE_OF_YAML: Final = re.compile(r"[ \t]|-(?: |$)|#|$|[\]}]")
"""A line of YAML that is not a key: a list item, a comment, an indented line, or a closing bracket."""
_KEY_OF_TOML: Final = re.compile(r"(?:[\w.-]+|\"[^\"]*\"|'[^']*')[^=\n]{0,200}=|\[")
_LINE_OF_TOML: Final = re.compile(r"[ \t]|#|$|[\[\]}\"'\d-]")
