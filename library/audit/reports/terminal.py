"""An audit as text for a terminal. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hinterland.library.audit.finding import AuditReport, Example, Finding, Trend
from hinterland.library.audit.kinds import Severity
from hinterland.library.audit.reports.words import (
    PLURALS,
    comparison_words,
    gone,
    in_order,
    summary,
    unsaid,
    weight_words,
)
from hinterland.library.text.wording import counted, moment, number, printable, shortened

EXAMPLES: Final = 3
_CAUSES: Final = 2
_HOSTS: Final = 10
_LONGEST: Final = 200


def terminal_lines(report: AuditReport, examples: int = EXAMPLES) -> Iterator[str]:
    """Yield the lines of a report; `examples` limits the examples of each finding."""
    yield f"Audit of {printable(report.store)}: {summary(report)}"
    for line in report.coverage.lines():
        yield f"  {line}"
    if report.compared_with is not None:
        yield f"  Compared with the audit of {moment(report.compared_with)}."
    yield from _by_host(report)
    for severity in Severity:
        findings = report.found(severity)
        if findings:
            yield ""
            yield PLURALS[severity].capitalize()
        for finding in findings:
            yield from _finding(finding, examples)
    yield from _listed("Not said", unsaid(report))
    yield from _listed("Gone since the earlier audit", gone(report))
    if passed := list(in_order(report)):
        yield ""
        yield f"In order: {counted(len(passed), 'rule')} of {len(report.findings)} found nothing."
    if not report.knows_web_ranks:
        yield ""
        yield "Shares are of the rank by the site's own links; crawl with --hinterland to weigh as the web sees it."


def _by_host(report: AuditReport) -> Iterator[str]:
    counts = report.counts_by_host()
    if len(counts) > 1:
        yield ""
        yield "Hosts"
        for host, of_host in list(counts.items())[:_HOSTS]:
            told = ", ".join(counted(count, severity.value, PLURALS[severity]) for severity, count in of_host.items())
            yield f"  {printable(host)}: {counted(report.pages_of_hosts.get(host, 0), 'page')}, {told}"
        if len(counts) > _HOSTS:
            yield f"  ... and {counted(len(counts) - _HOSTS, 'more host')}"


def _finding(finding: Finding, examples: int) -> Iterator[str]:
    yield f"  {number(finding.count)}  {finding.rule.title} [{finding.rule.name}]"
    yield f"     {weight_words(finding)}"
    if told := comparison_words(finding):
        yield f"     {told}"
    if finding.why:
        yield f"     {finding.why}"
    yield f"     {finding.rule.mend}"
    for example in finding.examples[:examples]:
        yield from _example(example)
    if finding.count > examples:
        yield f"     ... and {number(finding.count - examples)} more"


def _example(example: Example) -> Iterator[str]:
    note = f": {shortened(printable(example.note), _LONGEST)}" if example.note else ""
    new = "new: " if example.trend is Trend.NEW else ""
    yield f"     - {new}{printable(example.url)}{note}"
    for cause in example.causes[:_CAUSES]:
        anchor = f' "{shortened(printable(cause.anchor), 60)}"' if cause.anchor else ""
        yield f"         on {printable(cause.url)}{anchor}"
    if example.causing_pages > _CAUSES:
        yield f"         and on {number(example.causing_pages - _CAUSES)} more"


def _listed(title: str, lines: Iterator[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield ""
        yield title
        yield from (f"  {line}" for line in found)
