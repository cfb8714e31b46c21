"""Reads a stored page as Markdown blocks: from its body if that was kept, else from its text and headings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.parsing.blocks.main_blocks import main_blocks
from hinterland.crawler.parsing.compiled.text_places import places_reader
from hinterland.crawler.parsing.documents.plain import markdown_html
from hinterland.crawler.parsing.documents.reading import kind_of
from hinterland.crawler.parsing.documents.rendition import UnreadableDocument
from hinterland.crawler.parsing.html.headings import Heading
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.nesting import is_too_deep
from hinterland.crawler.parsing.markdown.html_blocks import Destination, absolute, html_blocks
from hinterland.crawler.parsing.markdown.inline import Piece, inline_markdown
from hinterland.crawler.parsing.markdown.markdown_blocks import BlockKind, MarkdownBlock

_MOST_HEADINGS: Final = 20_000


@dataclass(frozen=True, slots=True)
class PageSource:
    """What a store has about a page. `headings` is JSON, as in the store; `main` is as in main_blocks."""

    url: str
    content_type: str | None = None
    body: bytes | None = None
    text: str = ""
    headings: str = "[]"
    main: bytes = b""


def stored_page_blocks(
    page: PageSource, *, is_whole: bool = False, destination: Destination = absolute
) -> list[MarkdownBlock]:
    """Return the blocks of a page's main content or, with `is_whole`, of the whole page.

    For a document such as a PDF, and for a page that is nested too deeply, the stored text is used.
    """
    kind = kind_of(page.content_type, page.url)
    if page.body is not None and kind == "markdown":
        try:
            return html_blocks(markdown_html(page.body, page.content_type), page.url, is_whole=True)
        except UnreadableDocument:
            return []
    if page.body is not None and not kind:
        html = HtmlSource(page.body, page.content_type).readable
        if not is_too_deep(html):
            return html_blocks(
                html, page.url, main=page.main, is_whole=is_whole, destination=destination, places=places_reader()
            )
    return text_blocks_as_markdown(page.text, page.headings, b"" if is_whole else page.main)


def text_blocks_as_markdown(text: str, headings: str, main: bytes) -> list[MarkdownBlock]:
    """Return the blocks of a stored text; a block that equals the next heading of the page becomes a heading."""
    waiting = _headings(headings)
    found, at = [], 0
    for block in main_blocks(text, main) if text else ():
        words = " ".join(block.split())
        place = next((place for place in range(at, min(at + 20, len(waiting))) if waiting[place].text == words), None)
        if place is not None:
            (level, _, anchor), at = waiting[place], place + 1
            line = f"{'#' * level} {inline_markdown([Piece(words)])}"
            found.append(MarkdownBlock(BlockKind.HEADING, line, level=level, anchor=anchor, title=words))
        elif words:
            lines = [Piece(line) for line in block.split("\n")]
            pieces = [each for line in lines for each in (line, Piece("\n"))][:-1]
            found.append(MarkdownBlock(BlockKind.TEXT, inline_markdown(pieces)))
    return found


def _headings(stored: str) -> Sequence[Heading]:
    try:
        found = json.loads(stored or "[]")
    except ValueError:
        return []
    return [
        Heading(min(max(int(level), 1), 6), " ".join(str(text).split()), *anchor)
        for level, text, *anchor in found[:_MOST_HEADINGS]
    ]
