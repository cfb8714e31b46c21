"""All pages of a store in a table that can be filtered, sorted and exported as CSV."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence

from aiohttp import web

from hinterland.library.text.wording import moment
from hinterland.storage.reading.page_table import MOST_EXAMINED
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import Host
from hinterland.storage.values.page_table import STREAMED_ORDERS, PageTable, PageTableRow
from hinterland.storage.values.pages import PAGE_STATES
from hinterland.web.csv_sending import send_rows
from hinterland.web.host_pages import number_of_host
from hinterland.web.page_choice import PLACES, PageChoice
from hinterland.web.site import SITE

PATH = "/pages"
CSV_PATH = "/pages.csv"
CSV_COLUMNS = (
    *("number", "url", "title", "state", "is_local", "depth", "outcome", "status", "content_type", "body_bytes"),
    *("seconds", "fetched"),
)

_ROWS = 50
_ROWS_OF_CSV = 5_000
_NOWHERE = -1
"""Stands for a host that does not exist."""


async def show_pages(request: web.Request) -> web.Response:
    """Show the table of pages."""
    site = request.app[SITE]
    choice = PageChoice.of(request.query, site.now())

    def question(store: StoreReader) -> tuple[Host | None, int | None, PageTable]:
        number = _host_of(choice, store)
        wanted = choice.of_host(number)
        table = store.page_tables.portion(
            wanted,
            order=choice.order,
            is_descending=choice.is_descending,
            after=choice.after,
            start=choice.start,
            limit=_ROWS,
        )
        host = None if number is None else store.hosts.host(number)
        return host, store.page_tables.count(wanted), table

    host, total, table = await site.queries.ask(question)
    return site.page(
        "pages.html",
        choice=choice,
        host=host,
        total=total,
        table=table,
        states=PAGE_STATES,
        places=PLACES,
        csv_path=CSV_PATH,
        looked_at=MOST_EXAMINED,
        is_csv_sorted=choice.order in STREAMED_ORDERS,
    )


async def send_pages(request: web.Request) -> web.StreamResponse:
    """Send all matching pages as CSV, ordered by their numbers or URLs.

    Only in these two orders can any number of pages be read.
    """
    site = request.app[SITE]
    choice = PageChoice.of(request.query, site.now())
    wanted = await site.queries.ask(lambda store: choice.of_host(_host_of(choice, store)))
    order = "url" if choice.host or choice.order == "url" else "number"
    is_descending = choice.is_descending and choice.order in STREAMED_ORDERS

    def portion(after: int) -> Callable[[StoreReader], PageTable]:
        return lambda store: store.page_tables.portion(
            wanted, order=order, is_descending=is_descending, after=after, limit=_ROWS_OF_CSV
        )

    async def pieces() -> AsyncIterator[Iterator[Sequence[object]]]:
        after: int | None = -1
        while after is not None:
            table = await site.queries.ask(portion(after))
            yield map(_cells, table.rows)
            after = table.next_after

    return await send_rows(request, "pages.csv", CSV_COLUMNS, pieces())


def _host_of(choice: PageChoice, store: StoreReader) -> int | None:
    """Return the number of the chosen host; None if any host may match, _NOWHERE if there is no such host."""
    if not choice.host:
        return None
    if choice.host.isascii() and choice.host.isdecimal():
        return min(int(choice.host), 2**53)
    schemes = ("",) if "://" in choice.host else ("https://", "http://")
    named = [scheme + choice.host for scheme in schemes]
    return next((number for url in named if (number := number_of_host(url, store)) is not None), _NOWHERE)


def _cells(row: PageTableRow) -> Sequence[object]:
    fetched = None if row.fetched_at is None else moment(row.fetched_at)
    return (
        *(row.number, row.url, row.title, row.state, row.is_local, row.depth, row.outcome, row.status),
        *(row.content_type, row.body_bytes, row.seconds, fetched),
    )
