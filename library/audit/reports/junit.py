"""An audit as JUnit XML, which every build server reads: a test case for each rule. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from hinterland.library.audit.finding import AuditReport, Finding, State
from hinterland.library.audit.kinds import Group
from hinterland.library.audit.reports.words import weight_words
from hinterland.library.text.wording import counted, printable


def junit_report(report: AuditReport, failing: frozenset[str]) -> str:
    """Return the report as XML; `failing` names the rules whose thresholds are exceeded.

    A rule that could not be judged becomes a skipped test. If the faults of a rule are within its threshold, it becomes
    a passed test whose output lists the faults.
    """
    suites = [_suite(group, report.of(group), failing) for group in Group if report.of(group)]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", *suites, "</testsuites>", ""])


def _suite(group: Group, findings: Sequence[Finding], failing: frozenset[str]) -> str:
    failed = sum(each.rule.name in failing for each in findings)
    skipped = sum(_is_skipped(each, failing) for each in findings)
    cases = "\n".join(_case(each, failing) for each in findings)
    return (
        f'<testsuite name={quoteattr(group.value)} tests="{len(findings)}" failures="{failed}"'
        f' errors="0" skipped="{skipped}">\n{cases}\n</testsuite>'
    )


def _is_skipped(finding: Finding, failing: frozenset[str]) -> bool:
    return finding.state in (State.NOT_YET, State.NOT_LOOKED_AT) and finding.rule.name not in failing


def _case(finding: Finding, failing: frozenset[str]) -> str:
    rule = finding.rule
    head = f"<testcase classname={quoteattr(rule.group.value)} name={quoteattr(rule.name)}>"
    if _is_skipped(finding, failing):
        return f"{head}<skipped message={quoteattr(f'{finding.state.value}: {finding.why}')}/></testcase>"
    if finding.state is not State.FOUND and rule.name not in failing:
        return f"{head}</testcase>"
    lines = [weight_words(finding), rule.mend, *(_line(finding, place) for place in range(len(finding.examples)))]
    text = escape(printable_lines(lines))
    if rule.name in failing:
        message = quoteattr(f"{counted(finding.count, rule.severity.value)}: {rule.title}")
        return f"{head}<failure message={message} type={quoteattr(rule.severity.value)}>{text}</failure></testcase>"
    return f"{head}<system-out>{text}</system-out></testcase>"


def _line(finding: Finding, place: int) -> str:
    example = finding.examples[place]
    note = f" ({example.note})" if example.note else ""
    on = f", on {example.causes[0].url}" if example.causes else ""
    return f"{example.url}{note}{on}"


def printable_lines(lines: list[str]) -> str:
    """Return the lines as one text, without the characters that XML does not allow."""
    return "\n".join(printable(line) for line in lines)
