"""`who_links_here`: the pages that link to a page, and the texts of these links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from hinterland.library.page_numbers import number_of
from hinterland.storage.reading.reader import StoreReader
from hinterland.web.assistants.asked_stores import AskedStore, AskedStores, CannotAnswer
from hinterland.web.assistants.bounding import fitting
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import After, Answer, Arguments, Limit, NextAfter, PageFacts, PageUrl, StoreName

_MOST_WORDS: Final = 10


class LinkArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `who_links_here`."""

    url: PageUrl
    store: StoreName = ""
    limit: Limit = 20
    after: After = 0


class LinkingPage(PageFacts, frozen=True, kw_only=True):
    """A page that links here."""

    words: Annotated[str, Meta(description="The words of the link; empty for an image without a description.")]
    kind: str
    is_nofollow: bool


class LinksHere(Answer, frozen=True, kw_only=True):
    """Links to a page."""

    page: PageFacts
    words: Annotated[tuple[str, ...], Meta(description="The words of links from other pages, most frequent first.")]
    links: tuple[LinkingPage, ...]
    total: Annotated[int, Meta(description="Number of links; if is_exact is false, there are more.")]
    is_exact: bool
    next_after: NextAfter


def _answer(stores: AskedStores, asked: LinkArguments) -> LinksHere:
    for home in stores.chosen(asked.store):
        with home.reading() as store:
            number = number_of(asked.url, store)
            if number is not None:
                return _links(home, store, number, asked)
    raise CannotAnswer("the crawl does not know this URL, so no crawled page links to it; search finds pages")


def _links(home: AskedStore, store: StoreReader, number: int, asked: LinkArguments) -> LinksHere:
    if not store.links.knows_inlinks:
        raise CannotAnswer(
            f"the links of {home.name}, which an earlier version wrote, are being sorted; ask again in a few minutes"
        )
    found = store.links.inlinks(number, asked.after - 1, asked.limit)
    facts = home.facts(store, [*store.pages.named([number]).values(), *(link.page for link in found.links)])
    links = [
        LinkingPage(
            url=(source := facts[link.page.number]).url,
            title=source.title,
            fetched=source.fetched,
            rank=source.rank,
            words=link.anchor,
            kind=link.kind,
            is_nofollow=link.is_nofollow,
        )
        for link in found.links
    ]
    numbers = [link.page.number for link in found.links]
    end = _whole_pages(numbers, len(fitting(links)))
    return LinksHere(
        store=home.name,
        page=facts[number],
        words=tuple(store.links.anchors(number, _MOST_WORDS)) if asked.after == 0 else (),
        links=tuple(links[:end]),
        total=found.total,
        is_exact=found.is_exact,
        next_after=numbers[end - 1] + 1 if end < len(links) or found.next_after is not None else None,
    )


def _whole_pages(numbers: Sequence[int], end: int) -> int:
    """Return the position at which to cut a list of links so that all links of one page stay together.

    It is the last such position up to `end`, or else the first after it.
    """
    if end == len(numbers):
        return end
    begin = numbers.index(numbers[end])
    return begin or next((place for place, number in enumerate(numbers) if number != numbers[0]), len(numbers))


WHO_LINKS_HERE: Final = Tool(
    title="Who links here",
    description="List the crawled pages that link to a page, on the same site and from others, with the words of their"
    " links. These words say what others think the page is.",
    arguments=LinkArguments,
    answers=LinksHere,
    answer=_answer,
)
