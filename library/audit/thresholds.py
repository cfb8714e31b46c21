"""How many faults a user tolerates, for example in continuous integration. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hinterland.library.audit.finding import AuditReport, Finding, State
from hinterland.library.audit.kinds import Severity
from hinterland.library.errors import HinterlandError, require_known
from hinterland.library.text.wording import counted, printable

_SEVERITIES: Final = tuple(severity.value for severity in Severity)


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A rule with more faults than allowed, or one that a threshold names but that cannot be judged.

    `line` says in words which of the two it is.
    """

    rule: str
    line: str


@dataclass(frozen=True, slots=True)
class Threshold:
    """Allows at most `most` faults.

    If `name` is a rule, this holds for the rule. If it is a severity, it holds for each rule of this severity or a
    graver one.
    """

    name: str
    most: int = 0

    def holds_for(self, finding: Finding) -> bool:
        """Return whether the threshold applies to a finding."""
        if self.name in _SEVERITIES:
            return _SEVERITIES.index(finding.rule.severity) <= _SEVERITIES.index(self.name)
        return self.name == finding.rule.name


def threshold(given: str, rules: Collection[str]) -> Threshold:
    """Return the threshold that a text such as "error", "broken-link" or "broken-link=10" means.

    Raises HinterlandError for an unknown name, or if the text after "=" is not a number.
    """
    name, sign, number = given.partition("=")
    require_known("rule or severity", name, [*_SEVERITIES, *rules])
    if sign and not number.isdecimal():
        raise HinterlandError(f'--fail-on {given}: "{number}" is not a number of faults; write for example {name}=10')
    return Threshold(name, int(number) if sign else 0)


def exceeded(report: AuditReport, thresholds: Sequence[Threshold], *, only_new: bool) -> Iterator[Exceeded]:
    """Yield each rule with more faults than allowed, and each rule that a threshold names but that cannot be judged.

    With `only_new`, faults that the earlier audit had found do not count.
    """
    for finding in report.findings:
        chosen = [each for each in thresholds if each.holds_for(finding)]
        if not chosen:
            continue
        named = [each for each in chosen if each.name == finding.rule.name]
        most = min(each.most for each in named or chosen)
        if finding.state is State.NOT_LOOKED_AT and named:
            yield Exceeded(finding.rule.name, f"{finding.rule.name}: not looked at; {finding.why}")
        elif finding.state is State.NOT_YET and named:
            yield Exceeded(finding.rule.name, f"{finding.rule.name}: cannot be said yet, {finding.why}")
        elif (count := _counted(finding, only_new=only_new)) > most:
            yield Exceeded(finding.rule.name, _line(finding, count, most, only_new=only_new))


def _counted(finding: Finding, *, only_new: bool) -> int:
    return finding.comparison.new if only_new and finding.comparison is not None else finding.count


def _line(finding: Finding, count: int, most: int, *, only_new: bool) -> str:
    kind = "new " if only_new else ""
    allowed = f", {most} allowed" if most else ""
    line = f"{finding.rule.name}: {counted(count, f'{kind}fault')}{allowed}: {finding.rule.title.lower()}"
    example = finding.examples[0] if finding.examples else None
    if example is None:
        return line
    note = f" ({printable(example.note)})" if example.note else ""
    on = f", on {printable(example.causes[0].url)}" if example.causes else ""
    more = f", and {count - 1:,} more" if count > 1 else ""
    return f"{line}: {printable(example.url)}{note}{on}{more}"
