"""Tables as CSV (RFC 4180) for programs and spreadsheets. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return lines that end with CR LF; None is an empty cell, True and False are 1 and 0.

    A text that a spreadsheet would read as a formula gets an apostrophe before it, since crawled text may be hostile.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
