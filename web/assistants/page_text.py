"""The text of a page as Markdown, and its sections.

Only this module knows the source of the text: the body if it was kept, else the main content in the search index, else
the text in the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinterland.crawler.parsing.markdown.markdown_blocks import BlockKind, MarkdownBlock, section_of
from hinterland.library.errors import StoreUnusable
from hinterland.library.page_markdown import page_markdown
from hinterland.library.text.readable_text import TextBlock, main_content
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.assistants.asked_stores import AskedStore, CannotAnswer
from hinterland.web.assistants.quoting import cleaned


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page, as blocks; `is_whole` tells whether the source of the text was complete."""

    blocks: Sequence[MarkdownBlock]
    is_whole: bool = True


def page_text(home: AskedStore, store: StoreReader, page: int, title: str, *, everything: bool = False) -> PageText:
    """Return the text of a page; it has no blocks if the store keeps no text. `everything` also includes menus.

    Raises CannotAnswer if the stored content is damaged.
    """
    stored = store.pages.text(page)
    if not everything and not store.pages.with_bodies([page]) and (content := home.main_contents([page]).get(page)):
        main = main_content(content, [] if stored is None else stored.headings, title)
        if main.blocks:
            return PageText([_block(each) for each in main.blocks], main.is_whole)
    if stored is None:
        return PageText([])
    try:
        key = page_markdown, page, everything
        found = home.remembered(key, lambda: page_markdown(store, page, is_whole=everything))  # as the next part asks
    except StoreUnusable:
        raise CannotAnswer("the stored content of this page is damaged") from None  # without words of the page
    return PageText(found.blocks, found.is_from_body or stored.is_whole)


def _block(block: TextBlock) -> MarkdownBlock:
    if block.level:
        mark = "#" * block.level
        return MarkdownBlock(BlockKind.HEADING, f"{mark} {block.text}", level=block.level, title=block.text)
    return MarkdownBlock(BlockKind.TEXT, block.text)


def section(blocks: Sequence[MarkdownBlock], name: str) -> Sequence[MarkdownBlock]:
    """Return the blocks of the section that `name` means; empty if there is none.

    `name` is an anchor or the text of a heading, ignoring case and spacing. If no anchor and no heading is equal to it,
    the first heading that contains it counts. If several headings are equal, the first of them counts.
    """
    if found := section_of(blocks, name.removeprefix("#")):
        return found
    wanted = _key(name)
    headings = [(place, _key(block.title)) for place, block in enumerate(blocks) if block.level]
    places = [place for place, key in headings if key == wanted] or [p for p, key in headings if wanted in key]
    if not places or not wanted:
        return ()
    begin = places[0]
    after = range(begin + 1, len(blocks))
    end = next((place for place in after if 0 < blocks[place].level <= blocks[begin].level), len(blocks))
    return blocks[begin:end]


def _key(text: str) -> str:
    return " ".join(cleaned(text).split()).casefold()
