"""One page of the store: what was found there, who it links to and who to it, and its rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from crawler.serving import parameters
from crawler.serving.page_history import HistoryPoint, history_of, in_words
from crawler.serving.plots import line_plot
from crawler.serving.site import SITE
from crawler.serving.store_desk import NotYet, TookTooLong
from crawler.urls import Canonicaliser
from storage.browsing import StoreBrowser
from storage.browsing_records import LinkPage, NamedPage, PageRanks, PageView, StoredText
from storage.reports import StoreReports

_LINKS = 25
_COPIES = 20
_COPIES_SECONDS = 0.3
_MAX_RANKS = 4_000_000
"""So many ranks are unpacked for one history at most: a fraction of a second."""


@dataclass(frozen=True, slots=True)
class WholePage:
    """All there is to tell of a page. inlinks: None while nobody keeps an index of them; refreshes: of the estimate
    in all, of which `history` may show a part."""

    page: PageView
    text: StoredText | None
    ranks: PageRanks | None
    history: Sequence[HistoryPoint]
    refreshes: int
    outlinks: LinkPage
    inlinks: LinkPage | None


def number_of(url: str, browser: StoreBrowser) -> int | None:
    """The page with this URL, as it is written or in its canonical form."""
    number = browser.page_number(url)
    if number is None:
        canonical = Canonicaliser().canonical(url)
        number = browser.page_number(canonical) if canonical and canonical != url else None
    return number


def whole_page(
    browser: StoreBrowser, number: int, *, out_after: int = -1, in_after: int = -1, limit: int = _LINKS
) -> WholePage | None:
    page = browser.page(number)
    if page is None:
        return None
    ranks = browser.ranks(number)
    blobs, refreshes = browser.estimate_blobs(_MAX_RANKS) if page.is_local else ([], 0)
    return WholePage(
        page,
        browser.text(number),
        ranks,
        history_of(number, blobs) if blobs else [],
        refreshes,
        browser.outlinks(number, out_after, limit),
        browser.inlinks(number, in_after, limit) if browser.knows_inlinks else None,
    )


async def show_page(request: web.Request) -> web.Response:
    site = request.app[SITE]
    number = parameters.number(request.match_info, "number", -1)
    out_after = parameters.number(request.query, "out", -1, lowest=-1)
    in_after = parameters.number(request.query, "in", -1, lowest=-1)

    def question(_: StoreReports, browser: StoreBrowser) -> WholePage | None:
        return whole_page(browser, number, out_after=out_after, in_after=in_after)

    whole = await site.desk.ask(question)
    if whole is None:
        return site.page("message.html", 404, title="No such page", message=f"The store knows no page {number}.")
    copies: Sequence[NamedPage] = ()
    are_sought = False
    if whole.page.outcome == "fetched":
        try:
            copies = await site.desk.ask_seldom(
                ("copies", number), lambda _, browser: browser.copies(number, _COPIES + 1), within=_COPIES_SECONDS
            )
        except (NotYet, TookTooLong):
            are_sought = True
    known = [(point.created_at, point.share) for point in whole.history if point.share is not None]
    return site.page(
        "page.html",
        whole=whole,
        page=whole.page,
        words=in_words(whole.ranks) if whole.ranks else "",
        plot=line_plot(range(len(known)), [share for _, share in known]),
        copies=copies[:_COPIES],
        more_copies=len(copies) > _COPIES,
        are_sought=are_sought,
        out_after=out_after,
        in_after=in_after,
    )


async def find_page(request: web.Request) -> web.Response:
    """From a URL to its page."""
    site = request.app[SITE]
    url = parameters.text(request.query, "url", parameters.MAX_URL).strip()
    if not url:
        raise parameters.BadParameter("url is missing: name the URL of a page")
    number = await site.desk.ask(lambda _, browser: number_of(url, browser))
    if number is None:
        return site.page("message.html", 404, title="No such page", message=f"The store does not know {url}")
    raise web.HTTPSeeOther(f"/page/{number}")
