"""`unseen_pages`: the pages that a crawl knows but has not fetched, each with the reason."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from hinterland.storage.values.pages import ListedPage
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.bounding import fitting
from hinterland.web.assistants.tool import Tool
from hinterland.web.assistants.values import After, Answer, Arguments, Limit, PageFacts, StoreName


class UnseenArguments(Arguments, frozen=True, kw_only=True):
    """Arguments of `unseen_pages`."""

    state: Annotated[
        Literal["waiting", "failed", "refused", "known"],
        Meta(description="waiting: to be fetched; failed; refused: by robots.txt; known: not to be fetched."),
    ] = "waiting"
    store: StoreName = ""
    limit: Limit = 20
    after: After = 0


class UnseenPage(PageFacts, frozen=True, kw_only=True):
    """A page without content."""

    outcome: Annotated[str, Meta(description="Result of the last request; empty if there was none.")]
    status: int | None
    detail: str


class UnseenPages(Answer, frozen=True, kw_only=True):
    """Pages in one state, in the order in which the crawl found them."""

    state: str
    total: int
    pages: tuple[UnseenPage, ...]
    next_after: Annotated[int | None, Meta(description="As in other answers; more may follow even if pages is empty.")]


def _answer(stores: AskedStores, asked: UnseenArguments) -> UnseenPages:
    home = stores.one(asked.store)
    with home.reading() as store:
        found = store.lists.pages(asked.after - 1, asked.limit, state=asked.state)
        facts = home.facts(store, [each.page for each in found.pages])
        total = store.pages.counts().of(asked.state)
    pages = fitting([_unseen(each, facts[each.page.number]) for each in found.pages])
    next_page = found.pages[len(pages)].page.number if len(pages) < len(found.pages) else None
    if next_page is None and found.next_after is not None:
        next_page = found.next_after + 1
    return UnseenPages(store=home.name, state=asked.state, total=total, pages=tuple(pages), next_after=next_page)


def _unseen(page: ListedPage, facts: PageFacts) -> UnseenPage:
    return UnseenPage(
        url=facts.url,
        title=facts.title,
        fetched=facts.fetched,
        rank=facts.rank,
        outcome=page.outcome or "",
        status=page.status,
        detail=page.detail or "",
    )


UNSEEN_PAGES: Final = Tool(
    title="Pages not fetched",
    description="List pages that the crawl knows by links and has not fetched, with the reason of each.",
    arguments=UnseenArguments,
    answers=UnseenPages,
    answer=_answer,
)
