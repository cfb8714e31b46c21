"""An audit as Markdown, for a comment on a merge request. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hinterland.library.audit.finding import AuditReport, Example, Finding, Trend
from hinterland.library.audit.kinds import Severity
from hinterland.library.audit.reports.words import PLURALS, comparison_words, gone, summary, unsaid, weight_words
from hinterland.library.text.wording import number, printable

_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_{}[]<>#|!~&"})


def markdown_lines(report: AuditReport) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"# Audit of {_text(', '.join(report.hosts[:3]) or report.store)}"
    yield ""
    yield f"**{summary(report)}**"
    yield ""
    for line in report.coverage.lines():
        yield f"- {_text(line)}"
    for severity in Severity:
        for finding in report.found(severity):
            yield from _finding(finding)
    for title, told in (("Not said", unsaid(report)), ("Gone since the earlier audit", gone(report))):
        if lines := list(told):
            yield from ("", f"## {title}", "")
            yield from (f"- {_text(line)}" for line in lines)


def _finding(finding: Finding) -> Iterator[str]:
    rule = finding.rule
    yield ""
    yield f"## {number(finding.count)} {PLURALS[rule.severity] if finding.count != 1 else rule.severity}: {rule.title}"
    yield ""
    told = ". ".join(each for each in (weight_words(finding), comparison_words(finding), finding.why) if each)
    yield f"{_text(told)}. {_text(rule.why)} *{_text(rule.mend)}* (`{rule.name}`)"
    yield ""
    for example in finding.examples:
        yield from _example(example)
    if finding.count > len(finding.examples):
        yield f"- and {number(finding.count - len(finding.examples))} more"


def _example(example: Example) -> Iterator[str]:
    new = "**new** " if example.trend is Trend.NEW else ""
    note = f": {_text(example.note)}" if example.note else ""
    yield f"- {new}{_text(example.url)}{note}"
    for cause in example.causes:
        anchor = f" “{_text(cause.anchor)}”" if cause.anchor else ""
        yield f"  - on {_text(cause.url)}{anchor}"
    if example.causing_pages > len(example.causes):
        yield f"  - and on {number(example.causing_pages - len(example.causes))} more"


def _text(text: str) -> str:
    """Return untrusted text with escapes, so that Markdown shows it as it is."""
    return printable(" ".join(text.split())).translate(_SPECIAL)
