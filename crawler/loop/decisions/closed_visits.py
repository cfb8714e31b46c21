"""A finished visit to a page, before its outcome is applied. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.visit_records import NumberedLinks
from hinterland.crawler.parsing.messages import Comparison, PageDigest


@dataclass(frozen=True, slots=True)
class Closed:
    """A finished visit to a page.

    `digest` is set if the page was parsed; `links` is set if its links already have page numbers.
    """

    visit: Visit
    url: str
    started: float
    verdict: Verdict
    answer: Answer | NoAnswer | None = None
    digest: PageDigest | None = None
    links: NumberedLinks | None = None

    @property
    def comparison(self) -> Comparison | None:
        """The comparison with the stored version of the page; None if there was no comparison."""
        return None if self.digest is None else self.digest.comparison

    def lost(self, reason: str) -> Closed:
        """Return the same visit with the outcome "internal error" and without its answer and contents."""
        verdict = Verdict(OutcomeKind.INTERNAL_ERROR, reason, self.verdict.status)
        return Closed(self.visit, self.url, self.started, verdict, links=self.links)
