"""One page of the store: its content, its links in both directions, and its rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aiohttp import web

from hinterland.crawler.assembly.stored_features import stored_features
from hinterland.crawler.loop.stored_feature import Remark
from hinterland.crawler.parsing.blocks.main_blocks import main_text
from hinterland.library.page_numbers import number_of
from hinterland.library.patient_reading import TookTooLong
from hinterland.library.text.readable_text import ReadableText, all_text, main_content
from hinterland.search.answers import IndexedRank
from hinterland.search.index_failures import NoIndex
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.extraction import RecordsOfPage
from hinterland.storage.values.history import RevisitSummary
from hinterland.storage.values.links import LinkPortion
from hinterland.storage.values.pages import NamedPage, Page, StoredText
from hinterland.storage.values.ranks import PageRanks
from hinterland.web import parameters
from hinterland.web.answer_cache import AnswerPending
from hinterland.web.field_values import columns_of
from hinterland.web.page_history import HistoryPoint, in_words
from hinterland.web.plots import line_plot
from hinterland.web.site import SITE, Site

_LINKS = 25
_COPIES = 20
_RECORDS = 20
_SOON_SECONDS = 0.5

Ranking = tuple[PageRanks | None, Sequence[HistoryPoint], int]
"""Ranks, history, and the number of refreshes."""


@dataclass(frozen=True, slots=True)
class WholePage:
    """Everything that is known about a page.

    `inlinks` is None while links that an earlier version stored are being sorted. `refreshes` is the number of all
    refreshes of the estimate; `history` may show only some of them. `remarks` are what features say about the page.
    """

    page: Page
    text: StoredText | None
    ranks: PageRanks | None
    history: Sequence[HistoryPoint]
    refreshes: int
    outlinks: LinkPortion
    inlinks: LinkPortion | None
    records: Sequence[RecordsOfPage] = ()
    look: RevisitSummary | None = None
    remarks: Sequence[Remark] = ()
    main: bytes = b""
    """Which blocks of the text are the main content; b"" if that is not known."""


def whole_page(
    store: StoreReader,
    number: int,
    *,
    out_after: int = -1,
    in_after: int = -1,
    limit: int = _LINKS,
    ranking: Ranking = (None, (), 0),
) -> WholePage | None:
    """Return everything that is known about a page; None if it is not in the store."""
    page = store.pages.page(number)
    if page is None:
        return None
    ranks, history, refreshes = ranking
    features = stored_features(store)
    return WholePage(
        page=page,
        text=store.pages.text(number),
        ranks=ranks,
        history=history,
        refreshes=refreshes,
        outlinks=store.links.outlinks(number, out_after, limit),
        inlinks=store.links.inlinks(number, in_after, limit) if store.links.knows_inlinks else None,
        records=[each for each in store.extractions.of_page(number, _RECORDS) if each.table not in features.tables],
        look=store.history.revisit_summary(number),
        remarks=[each for each in features.remarks(page.url, number) if each.lines],
        main=store.pages.main_content(number),
    )


def copies_of(store: StoreReader, whole: WholePage | None, limit: int) -> Sequence[NamedPage] | None:
    """Return other pages with the same body; None while pages that an earlier version stored are being sorted."""
    if whole is None or whole.page.outcome != "fetched":
        return ()
    return store.pages.copies(whole.page.number, limit)


def ranked_pages(store: StoreReader) -> int:
    """Return the number of ranked pages.

    Callers cache the result, since counting a million pages takes 50 ms.
    """
    return store.ranks.count(store.ranks.estimator())


def ranking_of(site: Site, store: StoreReader, number: int, ranked: int) -> Ranking:
    """Return the ranks of a page and their history.

    The first call after an estimate of a million pages takes 0.1 s.
    """
    history, refreshes = site.histories.of(number, store)
    return store.ranks.of_page(number, ranked), history, refreshes


async def show_page(request: web.Request) -> web.Response:
    """Show one page."""
    site = request.app[SITE]
    number = parameters.number(request.match_info, "number", -1)
    out_after = parameters.number(request.query, "out", -1, lowest=-1)
    in_after = parameters.number(request.query, "in", -1, lowest=-1)

    def question(store: StoreReader) -> tuple[WholePage | None, Sequence[NamedPage] | None, bool]:
        whole = whole_page(store, number, out_after=out_after, in_after=in_after)
        return whole, copies_of(store, whole, _COPIES + 1), bool(store.pages.with_bodies([number]))

    whole, copies, is_kept = await site.queries.ask(question)
    if whole is None:
        return site.page("message.html", 404, title="No such page", message=f"There is no page {number} in the store.")
    ranking: Ranking | None = (None, (), 0)
    if whole.page.is_local:
        ranking = await _ranking_soon(site, number)
    if ranking is not None:
        whole = replace(whole, ranks=ranking[0], history=ranking[1], refreshes=ranking[2])
    in_index, alike = None, (copies or ())[:_COPIES]
    readable = None
    if whole.text is not None:
        text = whole.text
        standing = [number, *(each.number for each in alike)]
        found = await site.queries.in_thread(lambda: _content_in_index(site, standing))
        if not found and whole.main:
            found = main_text(text.text, whole.main)
        readable = _readable(found, text, whole.page.title or "")
    if ranking is not None and whole.ranks is None and whole.page.is_local and whole.page.outcome == "fetched":
        standing = [number, *(each.number for each in alike)]
        in_index = await site.queries.in_thread(lambda: _rank_in_index(site, standing))
    known = [(point.created_at, point.share) for point in whole.history if point.share is not None]
    return site.page(
        "page.html",
        whole=whole,
        page=whole.page,
        words=in_words(whole.ranks) if whole.ranks else "",
        plot=line_plot(range(len(known)), [share for _, share in known]),
        copies=alike,
        more_copies=len(copies or ()) > _COPIES,
        are_copies_unknown=copies is None,
        is_kept=is_kept,
        replay=site.replay_of(request, whole.page.url, whole.page.fetched_at),
        is_ranking_sought=ranking is None,
        in_index=in_index,
        readable=readable,
        columns_of=columns_of,
        out_after=out_after,
        in_after=in_after,
    )


def _readable(content: str | None, text: StoredText, title: str) -> tuple[ReadableText | None, ReadableText | None]:
    """Return the main content and the whole visible text; None for what is not known."""
    main = main_content(content, text.headings, title) if content else None
    return main if main is not None and main.blocks else None, all_text(text.text, text.headings) if text.text else None


def _content_in_index(site: Site, alike: Sequence[int]) -> str | None:
    """Return the main content of the first page in `alike` that is a document of the index.

    `alike` are pages with the same body; only one of them is a document.
    """
    try:
        return next((text for number in alike if (text := site.searches.main_content(number)) is not None), None)
    except NoIndex:
        return None


def _rank_in_index(site: Site, alike: Sequence[int]) -> IndexedRank | None:
    """Return the rank of the first page in `alike` that has one.

    `alike` are pages with the same body; only one of them is in the index.
    """
    try:
        return next((rank for number in alike if (rank := site.searches.rank_of(number)) is not None), None)
    except NoIndex:
        return None


async def _ranking_soon(site: Site, number: int) -> Ranking | None:
    """Return the ranks of a page and their history; None if that takes long.

    The result is then ready when the page is reloaded.
    """
    try:
        ranked = await site.queries.ask_seldom("ranked", ranked_pages, within=_SOON_SECONDS, of_rows_alone=True)
        return await site.queries.ask_seldom(
            ("ranking", number), lambda store: ranking_of(site, store, number, ranked), within=_SOON_SECONDS
        )
    except (AnswerPending, TookTooLong):
        return None


async def find_page(request: web.Request) -> web.Response:
    """Redirect from the URL of a crawled page to the view of this page."""
    site = request.app[SITE]
    url = parameters.text(request.query, "url", parameters.MAX_URL).strip()
    if not url:
        raise parameters.BadParameter("url is missing: give the URL of a page")
    number = await site.queries.ask(lambda store: number_of(url, store))
    if number is None:
        return site.page("message.html", 404, title="No such page", message=f"{url} is not in the store.")
    raise web.HTTPSeeOther(f"{site.root}/page/{number}")
