"""Words that several reports share. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from hinterland.library.audit.finding import AuditReport, Finding, State
from hinterland.library.audit.kinds import Loss, Severity
from hinterland.library.audit.ranks import Weight
from hinterland.library.text.wording import counted, number

PLURALS = {Severity.ERROR: "errors", Severity.WARNING: "warnings", Severity.NOTICE: "notices"}


def share(value: float) -> str:
    """Return a share in percent with two digits: "12 %", "0.34 %", "under 0.01 %", "0 %"."""
    percent = 100 * value
    if percent == 0:
        return "0 %"
    if percent < 0.01:
        return "under 0.01 %"
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.2g} %"


def weight_words(finding: Finding) -> str:
    """Return how much of the rank a finding concerns: "0.3 % of the site's rank flows there"."""
    weight, flows = finding.weight, finding.rule.loss is Loss.FLOW and finding.faults.causes is not None
    what = "of the site's rank flows there" if flows else "of the site's rank is on these pages"
    return f"{share(weight.site)} {what}{_web_words(weight)}"


def _web_words(weight: Weight) -> str:
    if weight.web is None:
        return ""
    if weight.web_least is None or weight.web_most is None:
        return f"; as the web sees it {share(weight.web)}"
    return f"; as the web sees it {share(weight.web)}, between {share(weight.web_least)} and {share(weight.web_most)}"


def comparison_words(finding: Finding) -> str:
    """Return how a finding compares with the earlier audit: "3 new, 5 still there, 1 mended"; "" without one."""
    found = finding.comparison
    if found is None:
        return ""
    parts = [(found.new, "new"), (found.still, "still there"), (found.mended, "mended")]
    told = [f"{number(count)} {word}" for count, word in parts if count]
    if found.unseen:
        told.append(f"{number(found.unseen)} not looked at again")
    return ", ".join(told)


def summary(report: AuditReport) -> str:
    """Return the numbers of faults: "12 errors, 3 warnings, 40 notices"."""
    counts = report.counts()
    return ", ".join(counted(count, severity.value, PLURALS[severity]) for severity, count in counts.items())


def unsaid(report: AuditReport) -> Iterator[str]:
    """Yield a line for each rule that could not be judged, with the reason."""
    for finding in report.in_state(State.NOT_YET):
        yield f"{finding.rule.title}: cannot be said yet, {finding.why}"
    for finding in report.in_state(State.NOT_LOOKED_AT):
        yield f"{finding.rule.title}: not looked at; {finding.why}"


def gone(report: AuditReport) -> Iterator[str]:
    """Yield a line for each rule that found faults in an earlier audit and finds none now."""
    for finding in report.in_state(State.NONE):
        if finding.comparison is not None and (finding.comparison.mended or finding.comparison.unseen):
            yield f"{finding.rule.title}: {comparison_words(finding)}"


def in_order(report: AuditReport) -> Iterator[str]:
    """Yield the title of each rule that was applied and found no fault."""
    for finding in report.in_state(State.NONE):
        yield finding.rule.title + (f" ({finding.why})" if finding.why else "")
