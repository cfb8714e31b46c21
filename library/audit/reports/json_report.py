"""An audit as one JSON object, with which a later audit can be compared. Pure."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import numpy as np

from hinterland.library.audit.comparison import FORMAT, packed
from hinterland.library.audit.finding import AuditReport, Finding, State


def json_report(report: AuditReport) -> dict[str, Any]:
    """Return the report as JSON.

    A finding has `fingerprints`, 8 bytes for each fault, in base64. A rule that could not be judged has no
    fingerprints.
    """
    return {
        "format": FORMAT,
        "store": report.store,
        "at": datetime.fromtimestamp(report.at, UTC).isoformat(timespec="seconds"),
        "at_epoch_seconds": report.at,
        "hosts": report.hosts,
        "by_host": [
            {"host": host, "pages": report.pages_of_hosts.get(host, 0), **{each.value: counts[each] for each in counts}}
            for host, counts in report.counts_by_host().items()
        ],
        "coverage": {**asdict(report.coverage), "is_whole": report.coverage.is_whole},
        "counts": {severity.value: count for severity, count in report.counts().items()},
        "knows_web_ranks": report.knows_web_ranks,
        "compared_with_epoch_seconds": report.compared_with,
        "findings": [_finding(each) for each in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    rule, is_said = finding.rule, finding.state in (State.FOUND, State.NONE)
    return {
        "rule": rule.name,
        "title": rule.title,
        "group": rule.group.value,
        "severity": rule.severity.value,
        "state": finding.state.value,
        "reason": finding.why,
        "count": finding.count if is_said else None,
        "weight": asdict(finding.weight) if finding.state is State.FOUND else None,
        "why": rule.why,
        "mend": rule.mend,
        "by_host": dict(finding.by_host),
        "examples": [asdict(each) for each in finding.examples],
        "comparison": None if finding.comparison is None else asdict(finding.comparison),
        **({"fingerprints": packed(np.frombuffer(finding.prints, np.uint64))} if is_said else {}),
    }
