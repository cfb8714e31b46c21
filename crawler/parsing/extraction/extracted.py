"""What came of a page by the rules of one table, as its parser process hands it over."""

from __future__ import annotations

import msgspec


class Extracted(msgspec.Struct, frozen=True, array_like=True):
    """records: JSON objects, one each, without the fields that have no value. missing: fields that have none in any
    record of the page. problem: why nothing, or not all, could be taken out of it; "" if it was as it should be.
    """

    table: str
    records: list[str]
    missing: list[str] = []
    problem: str = ""
