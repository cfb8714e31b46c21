"""Shows a page as it was fetched, without scripts, pictures and forms, and with the words of a query marked."""

from __future__ import annotations

from collections.abc import Collection

from aiohttp import web

from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.html.markup import as_html
from hinterland.search.answers import QueryError
from hinterland.search.index_failures import NoIndex
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.compression import DamagedFrame
from hinterland.storage.values.history import RevisitSummary
from hinterland.storage.values.pages import Page
from hinterland.web import parameters
from hinterland.web.cached_markup import MOST_CHARACTERS, CachedMarkup, KeptPage
from hinterland.web.site import SITE, Site

_MOST_BYTES = 40 * MOST_CHARACTERS


async def show_cached(request: web.Request) -> web.Response:
    """Show the stored body of a page."""
    site = request.app[SITE]
    number = parameters.number(request.match_info, "number", -1)
    query = parameters.text(request.query, "q", parameters.MAX_QUERY).strip()
    page, body, look = await site.queries.ask(lambda store: _kept(store, number))
    if page is None:
        return site.page("message.html", 404, title="No such page", message=f"There is no page {number} in the store.")
    if body is None:
        return site.page("message.html", 404, title="Page not stored", message=_why_not(page))
    shown, words = await site.queries.in_thread(lambda: _marked(site, page, body, query))
    return site.page("cached.html", page=page, look=look, shown=shown, words=sorted(words), query=query)


def _kept(store: StoreReader, number: int) -> tuple[Page | None, bytes | None, RevisitSummary | None]:
    page = store.pages.page(number)
    if page is None or not _is_html(page):
        return page, None, None
    try:
        return page, store.pages.body(number), store.history.revisit_summary(number)
    except DamagedFrame:
        return page, None, None


def _is_html(page: Page) -> bool:
    return "html" in (page.content_type or "html").lower()


def _why_not(page: Page) -> str:
    if not _is_html(page):
        kind = page.content_type
        return f"Page {page.number} is {kind}, not HTML. Its extracted text is at /page/{page.number}."
    return (
        f"The store has no readable body of page {page.number}: `recrawl --set storage.keep_bodies=true` adds"
        " bodies."
        f" Its text may still be available at /page/{page.number}."
    )


def _marked(site: Site, page: Page, body: bytes, query: str) -> tuple[CachedMarkup, Collection[str]]:
    """Return the page with the words of the query marked; if there is no index, no words are marked."""
    html = decode(body[:_MOST_BYTES], sniff_encoding(body, page.content_type).name)
    kept = KeptPage(as_html(html, page.content_type), page.url)
    words: Collection[str] = ()
    if query:
        try:
            words = site.searches.matched_words(query, page.number, kept.text)
        except (QueryError, NoIndex):
            words = ()
    return kept.marked(words), words
