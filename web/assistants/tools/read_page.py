"""`read_page`: the text of a page, or of one of its sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.crawler.parsing.markdown.markdown_blocks import markdown_of
from hinterland.library.page_numbers import number_of
from hinterland.library.text.wording import printable
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.pages import Page
from hinterland.storage.values.uses import USE_IN_WORDS, Use
from hinterland.web.assistants.asked_stores import AskedStore, AskedStores, CannotAnswer
from hinterland.web.assistants.page_text import PageText, page_text, section
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import After, Answer, Arguments, Fetched, NextAfter, PageUrl, Rank, StoreName, utc

_MOST_SECTIONS: Final = 100
_MOST_REDIRECTS: Final = 5


class ReadArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `read_page`."""

    url: PageUrl
    store: StoreName = ""
    section: Annotated[str, Meta(max_length=300, description="A heading or an anchor: read only this section.")] = ""
    everything: Annotated[bool, Meta(description="Also menus, footers and what else is not main content.")] = False
    after: After = 0
    characters: Annotated[int, Meta(ge=500, le=20_000, description="Maximum length of the text.")] = 8_000


class SectionName(Struct, frozen=True, kw_only=True):
    """A section, as its heading and, if known, the anchor that leads to it in a URL (after "#")."""

    heading: str
    level: int
    anchor: str


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
    sections: Annotated[tuple[SectionName, ...], Meta(description="Sections of the page, for the argument section.")]
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
        f"there is no page with this URL in {where}, so the crawl does not know it; search finds pages, and"
        " crawl_coverage says what the crawl has not seen"
    )


def _read(home: AskedStore, store: StoreReader, asked_for: Page, asked: ReadArguments) -> PageRead:
    page = _final(store, asked_for)
    notes = [] if page.number == asked_for.number else [f"{asked_for.url} redirects to {page.url}"]
    is_withheld = page.number in home.withheld(store)
    is_there = page.state == "fetched" and not is_withheld
    name = asked.section or urlsplit(asked.url).fragment
    found = PageText([])
    if is_there:
        found = page_text(home, store, page.number, page.title or "", everything=asked.everything)
    blocks = found.blocks
    headings = [SectionName(heading=b.title, level=b.level, anchor=b.anchor) for b in blocks if b.level]
    if name and not (blocks := section(blocks, name)):
        if asked.section:
            raise CannotAnswer(f"the page has no section {name!r}; read it without a section to see its sections")
        notes.append("the part of the URL after # leads to no known section")
        blocks = found.blocks
    text = markdown_of(blocks)
    end = part_end(text, asked.after, asked.characters)
    is_first = asked.after == 0 and blocks is found.blocks
    notes += _notes(not found.is_whole, headings[_MOST_SECTIONS:] if is_first else ())
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
        reason=_refusal(store, page) if is_withheld else "" if text else _reason(page),
        description="" if is_withheld else page.description or "",
        language=page.language or "",
        sections=tuple(headings[:_MOST_SECTIONS]) if is_first else (),
        characters=len(text),
        text=text[asked.after : end],
        next_after=end if end < len(text) else None,
    )


def _final(store: StoreReader, page: Page) -> Page:
    """Return the page at the end of a page's redirects, as far as they are known."""
    for _ in range(_MOST_REDIRECTS):
        target = None if page.redirect_target is None else store.pages.page(page.redirect_target.number)
        if target is None or page.state != "redirected":
            break
        page = target
    return page


def part_end(text: str, begin: int, length: int) -> int:
    """Return the end of the part of a text that begins at `begin` and has at most `length` characters.

    If possible, the part ends after a paragraph, else after a line, else after a word, as long as this end lies in its
    second half.
    """
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


def _refusal(store: StoreReader, page: Page) -> str:
    reasons = stored_features(store).refusals(page.number, Use.AI_INPUT)
    return f"its site disallows {USE_IN_WORDS[Use.AI_INPUT]}: {printable('; '.join(reasons))}"


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
