"""Plain text and Markdown. Pure."""

from __future__ import annotations

from itertools import pairwise

from crawler.parsing.charset.encoding import decode, sniff_encoding
from crawler.parsing.documents.rendition import Rendition, UnreadableDocument, first_line

_LOOKED_AT = 4096


def read_text(body: bytes, content_type: str | None) -> Rendition:
    """Raises UnreadableDocument for what is not text."""
    text = decoded(body, content_type)
    return Rendition(title=first_line([text]), blocks=[("pre", text)])


def markdown_html(body: bytes, content_type: str | None) -> bytes:
    """CommonMark, with tables, as HTML in UTF-8; the first heading, or else the first line, is its title. Raises
    UnreadableDocument."""
    from markdown_it import MarkdownIt

    text = _without_front_matter(decoded(body, content_type))
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(text)
    headings = [
        inline.content for opening, inline in pairwise(tokens) if opening.type == "heading_open"
    ]
    head = Rendition(title=first_line([*headings[:1], text])).html()
    rendered: str = markdown.renderer.render(tokens, markdown.options, {})
    return head + rendered.encode("utf-8", "replace")


def decoded(body: bytes, content_type: str | None) -> str:
    """Raises UnreadableDocument for what is not text."""
    name = sniff_encoding(body, content_type, "utf-8").name
    beginning = body[:_LOOKED_AT]
    if b"\0" in beginning and not name.startswith("utf-16"):
        raise UnreadableDocument("it is called text, but has NUL bytes")
    return decode(body, name)


def _without_front_matter(text: str) -> str:
    """Without the YAML between two lines of dashes that some begin with."""
    if not text.startswith("---\n"):
        return text
    _, found, rest = text[4:].partition("\n---\n")
    return rest if found else text
