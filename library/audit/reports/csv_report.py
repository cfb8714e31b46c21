"""All faults of an audit as rows for spreadsheets. The store is opened again, since only it knows all URLs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from hinterland.library.audit.faults import NO_PAGE
from hinterland.library.audit.finding import AuditReport, Finding
from hinterland.library.text.csv_text import csv_text
from hinterland.storage.reading.opening import reading

COLUMNS: Final = ("rule", "severity", "url", "note", "causing_pages", "cause")
_AT_ONCE: Final = 500

UrlsOf = Callable[[Sequence[int]], Mapping[int, str]]
"""Returns the URLs of pages, by page."""


def csv_pieces(report: AuditReport, store: Path) -> Iterator[str]:
    """Yield the report as CSV, in pieces of some hundred faults. Raises NoStore."""
    yield csv_text([COLUMNS])
    with reading(store) as reader:
        for finding in report.found():
            yield from csv_parts(finding, reader.pages.urls_of)


def csv_parts(finding: Finding, urls_of: UrlsOf) -> Iterator[str]:
    """Yield CSV with one row of COLUMNS for each pair of a fault and a page that causes it."""
    faults, rule = finding.faults, finding.rule
    for start in range(0, len(faults), _AT_ONCE):
        places = range(start, min(start + _AT_ONCE, len(faults)))
        part = faults.only(list(places))
        sources = [] if part.causes is None else part.causes.sources.tolist()
        urls = urls_of([*(page for page in part.pages.tolist() if page != NO_PAGE), *sources])
        rows: list[tuple[object, ...]] = []
        for place, page in enumerate(part.pages.tolist()):
            url = urls[page] if page != NO_PAGE else part.urls[place]
            causes = [] if part.causes is None else part.causes.of(place).tolist()
            first = (rule.name, rule.severity.value, url, part.note(place), len(causes))
            rows += [(*first, urls[cause]) for cause in causes] or [(*first, None)]
        yield csv_text(rows)
