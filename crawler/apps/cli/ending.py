"""How a crawl ended, as a value for people and machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crawler.apps.cli.progress import Progress
from crawler.engine.decisions.endings import EndReason
from storage.report_records import FailureReport, HostsReport, PageCounts, SlowedReport


@dataclass(frozen=True, slots=True)
class StoreContent:
    """What the store holds at the end, all runs together."""

    size_bytes: int
    pages: PageCounts
    failures: Sequence[FailureReport]
    hosts: HostsReport
    slowed: Sequence[SlowedReport] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """progress: of this run. content: None if the store cannot be read. problem: an error in words."""

    reason: EndReason
    progress: Progress
    store: str
    content: StoreContent | None
    next_commands: Sequence[str]
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "reason": self.reason.label,
            "exit_code": self.reason.exit_code,
            "message": self.reason.sentence,
            "problem": self.problem or None,
            "store": self.store,
            "next_commands": list(self.next_commands),
            "run": self.progress.as_json(),
            "content": None if self.content is None else asdict(self.content),
        }
