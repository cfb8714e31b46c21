"""The text of a page as headings and paragraphs, and its sections.

This is the only place that knows where the text comes from: the main content in the search index or, without one, in
the store; otherwise all visible text.
"""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.assistants.asked_stores import AskedStore
from hinterland.assistants.quoting import cleaned
from hinterland.crawler.parsing.blocks.main_blocks import main_text
from hinterland.library.text.readable_text import (
    ReadableText,
    TextBlock,
    all_text,
    main_content,
    without_permalink,
)
from hinterland.storage.reading.reader import StoreReader


def page_text(
    home: AskedStore, store: StoreReader, page: int, title: str, *, everything: bool = False
) -> ReadableText | None:
    """Return the text of a page; None if the store keeps none. `everything` includes menus and the like."""
    stored = store.pages.text(page)
    if everything:
        return all_text(stored.text, stored.headings) if stored is not None and stored.text else None
    content = home.main_contents([page]).get(page)
    if content is None and stored is not None and (blocks := store.pages.main_content(page)):
        content = main_text(stored.text, blocks)
    headings = [] if stored is None else stored.headings
    if content and (main := main_content(content, headings, title)).blocks:
        return main
    return all_text(stored.text, headings) if stored is not None and stored.text else None


def section_around(store: StoreReader, page: int, content: str, snippet: str) -> str:
    """Return the heading above the place of a snippet in the main content of a page; "" if there is none."""
    stored = store.pages.text(page)
    place = content.find(snippet) if snippet else -1
    if stored is None or place < 0:
        return ""
    names = {without_permalink(heading) for _, heading in stored.headings}
    found = [(_place_of_line(content, name, place), name) for name in names if name]
    nearest, name = max(found, default=(-1, ""))
    return name if nearest >= 0 else ""


def _place_of_line(text: str, line: str, end: int) -> int:
    """Return where this whole line stands last in a text before `end`; -1 if nowhere."""
    place = text.rfind(line, 0, end)
    while place >= 0:
        before, after = text[:place][-1:], text[place + len(line) :][:2]
        if before in ("", "\n") and (after[:1] in ("", "\n", "¶") or after[1:] in ("¶", "#")):
            break
        place = text.rfind(line, 0, place)
    return place


def sections_of(blocks: Sequence[TextBlock]) -> list[TextBlock]:
    """Return the headings."""
    return [block for block in blocks if block.level]


def section(blocks: Sequence[TextBlock], name: str) -> Sequence[TextBlock]:
    """Return the section under the first heading that is `name`, or else contains it; nothing without one.

    It ends before the next heading of its level or a higher one. Case and spacing do not matter.
    """
    wanted = _key(name)
    headings = [(place, _key(block.text)) for place, block in enumerate(blocks) if block.level]
    places = [place for place, key in headings if key == wanted] or [p for p, key in headings if wanted in key]
    if not places or not wanted:
        return ()
    begin = places[0]
    after = range(begin + 1, len(blocks))
    end = next((place for place in after if 0 < blocks[place].level <= blocks[begin].level), len(blocks))
    return blocks[begin:end]


def as_markdown(blocks: Sequence[TextBlock]) -> str:
    """Return blocks as Markdown: headings with their marks, and paragraphs as they are."""
    return "\n\n".join(f"{'#' * block.level} {block.text}" if block.level else block.text for block in blocks)


def _key(text: str) -> str:
    return " ".join(cleaned(text).split()).casefold()
