"""A stored page, or a section of it, as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.crawler.parsing.markdown.html_blocks import absolute, as_written
from hinterland.crawler.parsing.markdown.markdown_blocks import MarkdownBlock, markdown_of, section_of, section_paths
from hinterland.crawler.parsing.markdown.stored_page import PageSource, stored_page_blocks
from hinterland.library.errors import HinterlandError, StoreUnusable, require_known
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.compression import DamagedFrame

LINKS: Final = {"absolute": absolute, "as-written": as_written}
"""How links are written: with the whole URL, or as the page has them."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page: its anchor, and the titles of its heading and those above it, the highest first."""

    path: tuple[str, ...]
    anchor: str


@dataclass(frozen=True, slots=True)
class PageMarkdown:
    """A page, or one of its sections, as Markdown.

    `blocks` are its headings, paragraphs, tables and so on. `is_from_body` is False if the body was not kept. Then the
    stored text is used, which has no links, tables, code and anchors.
    """

    url: str
    title: str
    blocks: Sequence[MarkdownBlock]
    is_from_body: bool

    @property
    def text(self) -> str:
        """The Markdown."""
        return markdown_of(self.blocks)

    @property
    def sections(self) -> list[Section]:
        """The sections of the page in their order. Sections without an anchor are included, but cannot be requested."""
        return list(dict.fromkeys(Section(*each) for each in section_paths(self.blocks) if each[0]))


def page_markdown(
    store: StoreReader, page: int, *, anchor: str = "", is_whole: bool = False, links: str = "absolute"
) -> PageMarkdown:
    """Return the main content of a page as Markdown or, with `is_whole`, everything on it, such as its menus.

    `page` is its number. `anchor`, the fragment of a URL without "#", asks for one section: what is below a heading, or
    a term with its definition. `links` is one of LINKS.

    The page is read in this process. If its elements are nested too deeply for this, its stored text is used. Raises
    StoreUnusable for an unknown page, for one without content, and for damaged content; HinterlandError for an anchor
    that leads to no section.
    """
    require_known("way to write links", links, LINKS)
    known = store.pages.page(page)
    if known is None:
        raise StoreUnusable(f"the store has no page {page}")
    try:
        content = store.pages.content(page)
    except DamagedFrame as error:
        raise StoreUnusable(f"the stored content of {known.url} is damaged: {error}") from error
    if content is None:
        raise StoreUnusable(f"the store has no content of {known.url}: {known.outcome or known.state}")
    source = PageSource(known.url, known.content_type, content.body, content.text, content.headings, content.main)
    blocks: Sequence[MarkdownBlock] = stored_page_blocks(source, is_whole=is_whole, destination=LINKS[links])
    if anchor:
        blocks = section_of(blocks, anchor)
        if not blocks:
            raise HinterlandError(f"{known.url} has no section #{anchor}")
    return PageMarkdown(known.url, known.title or "", blocks, content.body is not None)
