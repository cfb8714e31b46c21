"""An audit as SARIF 2.1.0 (OASIS), which code hosts show next to a change. Pure."""

from __future__ import annotations

from typing import Any, Final

from hinterland.library.audit.finding import AuditReport, Example, Finding, State, Trend
from hinterland.library.audit.fingerprints import prints_of
from hinterland.library.audit.kinds import Severity
from hinterland.library.audit.reports.words import unsaid, weight_words
from hinterland.library.audit.rule import Rule

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
_BASELINE: Final = {Trend.NEW: "new", Trend.STILL: "unchanged"}


def sarif_report(report: AuditReport, version: str) -> dict[str, Any]:
    """Return the report as a SARIF log; `version` is the version of this program.

    The examples of each finding are its results. A rule that could not be judged is a notification of the run.
    """
    findings = report.in_state(State.FOUND)
    places = {finding.rule.name: place for place, finding in enumerate(report.findings)}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Hinterland",
                        "version": version,
                        "rules": [_rule(finding.rule) for finding in report.findings],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "toolExecutionNotifications": [
                            {"level": "note", "message": {"text": line}}
                            for line in (*report.coverage.lines(), *unsaid(report))
                        ],
                    }
                ],
                "results": [
                    _result(finding, example, places[finding.rule.name])
                    for finding in findings
                    for example in finding.examples
                ],
            }
        ],
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.mend},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.group.value]},
    }


def _result(finding: Finding, example: Example, place: int) -> dict[str, Any]:
    causes = [cause.url for cause in example.causes] or [example.url]
    note = f": {example.note}" if example.note else ""
    fingerprint = prints_of([example.url]).tobytes().hex()
    return {
        "ruleId": finding.rule.name,
        "ruleIndex": place,
        "level": _LEVELS[finding.rule.severity],
        "message": {"text": f"{example.url}{note}. {finding.rule.mend} Of all faults: {weight_words(finding)}."},
        "locations": [_location(causes[0])],
        **({"relatedLocations": [_location(url) for url in causes[1:]]} if causes[1:] else {}),
        "partialFingerprints": {"faultUrl/v1": fingerprint},
        **({"baselineState": _BASELINE[example.trend]} if example.trend is not None else {}),
    }


def _location(url: str) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": {"uri": url}}}
