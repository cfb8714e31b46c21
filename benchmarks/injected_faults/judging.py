"""What an audit found of the injected faults, and what else it reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.injected_faults.injecting import Said
from hinterland.library.audit.auditing import audit
from hinterland.library.audit.faults import NO_PAGE
from hinterland.library.audit.finding import AuditReport
from hinterland.storage.reading.opening import reading


def said_by(store: Path) -> tuple[Said, AuditReport]:
    """Return all that an audit of a store finds, and its report."""
    report = audit(store)
    return set(_pairs(report, store)), report


def _pairs(report: AuditReport, store: Path) -> Iterator[tuple[str, str]]:
    with reading(store) as reader:
        for finding in report.findings:
            faults = finding.faults
            urls = reader.pages.urls_of([page for page in faults.pages.tolist() if page != NO_PAGE])
            for url in (*urls.values(), *faults.urls):
                yield finding.rule.name, url
