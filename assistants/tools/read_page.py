"""`read_page`: the text of a page, or of one of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from hinterland.assistants.asked_stores import AskedStore, AskedStores, CannotAnswer
from hinterland.assistants.page_text import as_markdown, page_text, section, sections_of
from hinterland.assistants.tool import Tool
from hinterland.assistants.values import After, Answer, Arguments, Fetched, NextAfter, PageUrl, Rank, StoreName, utc
from hinterland.library.page_numbers import number_of
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.pages import Page

_MOST_SECTIONS: Final = 100
_MOST_REDIRECTS: Final = 5


class ReadArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `read_page`."""

    url: PageUrl
    store: StoreName = ""
    section: Annotated[str, Meta(max_length=300, description="A heading: read only the section below it.")] = ""
    everything: Annotated[bool, Meta(description="Also menus, footers and what else is not main content.")] = False
    after: After = 0
    characters: Annotated[int, Meta(ge=500, le=20_000, description="Maximum length of the text.")] = 8_000


class PageRead(Answer, frozen=True, kw_only=True):
    """A page, and part of its text as Markdown."""

    url: str
    title: str
    fetched: Fetched
    checked: Annotated[str | None, Meta(description="When the crawl last looked for changes, in UTC.")]
    rank: Annotated[Rank | None, Meta(description="Null if it is not in the search index.")]
    state: Annotated[
        str, Meta(description="fetched, redirected, waiting, failed, refused or known (not to be fetched)")
    ]
    reason: Annotated[str, Meta(description="Why there is no text; empty if there is some.")]
    description: str
    language: str
    sections: Annotated[tuple[str, ...], Meta(description="Headings of the page, each as section takes it.")]
    characters: Annotated[int, Meta(description="Length of the whole page or section.")]
    next_after: NextAfter
    text: str


def _answer(stores: AskedStores, asked: ReadArguments) -> PageRead:
    for home in stores.chosen(asked.store):
        with home.reading() as store:
            number = number_of(asked.url, store)
            if number is not None and (page := store.pages.page(number)) is not None:
                return _read(home, store, page, asked)
    where = f"the store {asked.store}" if asked.store else "any store"
    raise CannotAnswer(
        f"there is no page with this URL in {where}: the crawl has not met it. search finds pages, and crawl_coverage"
        " says what the crawl has not seen"
    )


def _read(home: AskedStore, store: StoreReader, asked_for: Page, asked: ReadArguments) -> PageRead:
    page = _final(store, asked_for)
    notes = [] if page.number == asked_for.number else [f"{asked_for.url} redirects to {page.url}"]
    is_there = page.state == "fetched"
    found = page_text(home, store, page.number, page.title or "", everything=asked.everything) if is_there else None
    blocks = [] if found is None else found.blocks
    headings = sections_of(blocks)
    if asked.section and not (blocks := section(blocks, asked.section)):
        raise CannotAnswer(
            f"the page has no section {asked.section!r}; read it without a section to see the names of its sections"
        )
    text = as_markdown(blocks)
    end = part_end(text, asked.after, asked.characters)
    is_first = asked.after == 0 and not asked.section
    notes += _notes(found is not None and not found.is_whole, headings[_MOST_SECTIONS:] if is_first else ())
    look = store.history.revisit_summary(page.number)
    return PageRead(
        store=home.name,
        notes=tuple(notes),
        url=page.url,
        title=page.title or "",
        fetched=utc(page.fetched_at),
        checked=utc(page.fetched_at if look is None else look.looked_at),
        rank=home.rank_of(page.number),
        state=page.state,
        reason="" if text else _reason(page),
        description=page.description or "",
        language=page.language or "",
        sections=tuple(each.text for each in headings[:_MOST_SECTIONS]) if is_first else (),
        characters=len(text),
        text=text[asked.after : end],
        next_after=end if end < len(text) else None,
    )


def _final(store: StoreReader, page: Page) -> Page:
    """Return the page to which redirects lead, if it is known."""
    for _ in range(_MOST_REDIRECTS):
        target = None if page.redirect_target is None else store.pages.page(page.redirect_target.number)
        if target is None or page.state != "redirected":
            break
        page = target
    return page


def part_end(text: str, begin: int, length: int) -> int:
    """Return where a part of at most this length ends: after a paragraph, line or word if one ends in its last half."""
    end = begin + length
    if end >= len(text):
        return len(text)
    for border in ("\n\n", "\n", " "):
        place = text.rfind(border, begin + length // 2, end)
        if place >= 0:
            return place + len(border)
    return end


def _notes(is_cut: bool, more: Sequence[object]) -> list[str]:
    notes = ["the store keeps only the beginning of this text"] if is_cut else []
    return [*notes, f"{len(more)} more sections are not listed"] if more else notes


def _reason(page: Page) -> str:
    outcome = ": ".join(filter(None, (page.outcome, page.detail)))
    match page.state:
        case "fetched":
            return "the store keeps no text of this page"
        case "waiting":
            return f"it waits to be fetched; the last attempt: {outcome}" if outcome else "it waits to be fetched"
        case "known":
            return "it is known by links only, and not to be fetched: outside of the crawl, too deep or nofollow"
        case "redirected":
            return "it redirects to a page that the crawl has not fetched"
    return outcome or page.state


READ_PAGE: Final = Tool(
    title="Read a page",
    description="Read the stored text of a page, or of one of its sections, as Markdown, in parts; with the names of"
    " its sections, the date of the copy and the page's rank.",
    arguments=ReadArguments,
    answers=PageRead,
    answer=_answer,
)
