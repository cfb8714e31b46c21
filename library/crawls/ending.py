"""How a crawl ended: the reason, what it fetched, and what to do next. Values only. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls.progress import CrawlProgress
from hinterland.storage.values.extraction import TableReport
from hinterland.storage.values.hosts import HostsReport, SlowedReport
from hinterland.storage.values.pages import FailureReport, PageCounts, RenderingReport
from hinterland.storage.values.reach import NofollowReport, StartReport


@dataclass(frozen=True, slots=True)
class StoreContent:
    """What the store holds at the end, from all runs together."""

    size_bytes: int
    pages: PageCounts
    failures: Sequence[FailureReport]
    hosts: HostsReport
    slowed: Sequence[SlowedReport] = ()
    extracted: Sequence[TableReport] = ()
    renderings: Sequence[RenderingReport] = ()
    dead_starts: Sequence[StartReport] = ()
    left_by_nofollow: NofollowReport | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a crawl ended.

    `progress` is that of the last run alone. `content` is None if the store cannot be read. `problem` is an error in
    words.
    """

    reason: EndReason
    progress: CrawlProgress
    store: str
    content: StoreContent | None
    next_commands: Sequence[str]
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the ending as JSON values."""
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
