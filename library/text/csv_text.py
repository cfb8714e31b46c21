"""Tables as CSV (RFC 4180) for programs and spreadsheets. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as lines of CSV that end with CR LF. None becomes an empty cell, and True and False become 1 and 0.

    If a spreadsheet would read a text as a formula, an apostrophe is put before it, since crawled text may be hostile.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
