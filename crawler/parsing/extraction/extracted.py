"""The records that one table's rules took out of a page, as a parser process sends them to the crawl."""

from __future__ import annotations

import msgspec


class Extracted(msgspec.Struct, frozen=True, array_like=True):
    """The records of one table from one page.

    `records` holds one JSON object each, without the fields that have no value. `missing` names the fields that have no
    value in any record of the page. `problem` says why nothing, or not everything, could be extracted; "" if all went
    well.
    """

    table: str
    records: list[str]
    missing: list[str] = []
    problem: str = ""
