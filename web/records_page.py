"""Extracted records: the tables of a store, and the records of one table."""

from __future__ import annotations

from aiohttp import web

from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.extraction import RecordPortion
from hinterland.web import parameters
from hinterland.web.field_values import columns_of
from hinterland.web.site import SITE

_RECORDS = 50
_LONGEST_NAME = 200


async def list_tables(request: web.Request) -> web.Response:
    """Show the list of tables."""
    site = request.app[SITE]
    tables = await site.queries.ask_seldom("records", lambda store: store.extractions.reports(), of_rows_alone=True)
    return site.page("records.html", tables=tables)


async def show_table(request: web.Request) -> web.Response:
    """Show the records of one table."""
    site = request.app[SITE]
    name = parameters.text(request.match_info, "name", _LONGEST_NAME)
    page = parameters.number(request.query, "page", -1, lowest=-1)
    number = parameters.number(request.query, "number", 0)

    def question(store: StoreReader) -> RecordPortion | None:
        if name not in store.extractions.names():
            return None
        return store.extractions.portion(name, (page, number), _RECORDS)

    portion = await site.queries.ask(question)
    if portion is None:
        return site.page(
            "message.html",
            404,
            title="No such table",
            message=f"No extraction rules of this store fill the table {name}.",
        )
    return site.page(
        "record_table.html",
        name=name,
        portion=portion,
        columns=columns_of(fields for _, fields in portion.rows),
        is_first=page < 0,
    )
