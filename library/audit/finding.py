"""The finding of an audit about one rule, and the report of all findings. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from hinterland.library.audit.coverage import Coverage
from hinterland.library.audit.faults import NO_FAULTS, Faults
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.ranks import NO_WEIGHT, Weight
from hinterland.library.audit.rule import Rule


class State(StrEnum):
    """The result of applying a rule to a store."""

    FOUND = "found"
    NONE = "none"
    """Everything was examined, and there is no such fault."""
    NOT_YET = "not yet"
    """The rule cannot be judged before the crawl is complete."""
    NOT_LOOKED_AT = "not looked at"
    """The crawl has not kept or requested what the rule needs."""


class Trend(StrEnum):
    """How a fault compares with an earlier audit."""

    NEW = "new"
    STILL = "still there"


@dataclass(frozen=True, slots=True)
class Cause:
    """A page that causes a fault; `anchor` is the text of its link, "" if it has no text or the cause is not a link."""

    url: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """One fault of a finding.

    `causing_pages` is the number of pages that cause the fault, 0 if the page at fault causes it itself. `share` is the
    fraction of the site's rank that the fault concerns, by the links of the site alone.
    """

    url: str
    note: str = ""
    page: int | None = None
    causes: Sequence[Cause] = ()
    causing_pages: int = 0
    share: float = 0.0
    trend: Trend | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the faults of a rule compare with an earlier audit.

    `mended` counts earlier faults that were examined again and are gone. `unseen` counts earlier faults that were not
    examined again.
    """

    new: int
    still: int
    mended: int
    unseen: int
    mended_examples: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """What an audit says about one rule.

    `why` is the reason for NOT_YET or NOT_LOOKED_AT; in other states it is a caveat or "". `by_host` maps hosts to
    their number of faults, in descending order. `faults` are all faults, in descending order of weight, and `prints`
    are their fingerprints in the same order, 8 bytes each.
    """

    rule: Rule
    state: State
    why: str = ""
    weight: Weight = NO_WEIGHT
    examples: Sequence[Example] = ()
    by_host: Mapping[str, int] = field(default_factory=dict)
    faults: Faults = NO_FAULTS
    prints: bytes = b""
    comparison: Comparison | None = None

    @property
    def count(self) -> int:
        """The number of faults."""
        return len(self.faults)


@dataclass(frozen=True, slots=True, eq=False)
class AuditReport:
    """All findings of an audit, and how much of the site was read for them.

    `at` is the time of the audit in epoch seconds. `pages_of_hosts` maps the URL of each host to the number of its HTML
    pages that were read, in descending order. `compared_with` is the time of the earlier audit; None if there is no
    earlier audit.
    """

    store: str
    at: float
    pages_of_hosts: Mapping[str, int]
    coverage: Coverage
    findings: Sequence[Finding]
    knows_web_ranks: bool
    compared_with: float | None = None

    @property
    def hosts(self) -> Sequence[str]:
        """The URLs of the hosts with pages that were read, in descending order of the number of pages."""
        return list(self.pages_of_hosts)

    def counts_by_host(self) -> Mapping[str, Mapping[Severity, int]]:
        """Return the number of faults of each severity by URL of the host; the host with the most errors is first."""
        counts = {host: dict.fromkeys(Severity, 0) for host in self.pages_of_hosts}
        for finding in self.findings:
            for host, count in finding.by_host.items():
                counts.setdefault(host, dict.fromkeys(Severity, 0))[finding.rule.severity] += count
        return dict(sorted(counts.items(), key=lambda each: [-each[1][severity] for severity in Severity]))

    def in_state(self, state: State) -> Sequence[Finding]:
        """Return the findings in this state."""
        return [each for each in self.findings if each.state is state]

    def found(self, severity: Severity | None = None) -> Sequence[Finding]:
        """Return the findings with faults, in order of severity and weight. `severity` restricts them to one."""
        chosen = [each for each in self.in_state(State.FOUND) if severity in (None, each.rule.severity)]
        return sorted(chosen, key=_gravity)

    def of(self, group: Group) -> Sequence[Finding]:
        """Return the findings of a group, in the order of the rules."""
        return [each for each in self.findings if each.rule.group is group]

    def counts(self) -> Mapping[Severity, int]:
        """Return the number of faults of each severity."""
        return {severity: sum(each.count for each in self.found(severity)) for severity in Severity}


def _gravity(finding: Finding) -> tuple[int, float, str]:
    weight = finding.weight.site if finding.weight.web is None else finding.weight.web
    return list(Severity).index(finding.rule.severity), -weight, finding.rule.name
