"""The records that the rules of one table extracted from a page, as a parser process sends them to the crawl."""

from __future__ import annotations

import msgspec


class Extracted(msgspec.Struct, frozen=True, array_like=True):
    """The records of one table from one page.

    `records` holds a JSON object for each record, without fields that have no value. `missing` names the fields that
    have no value in any record of the page. `problem` says why some or all records could not be extracted; "" if there
    was no problem.
    """

    table: str
    records: list[str]
    missing: list[str] = []
    problem: str = ""
