"""A visit to a page that has ended, as it is closed. Pure."""

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
    """A visit to a page that has ended. digest, links: of a page that was read; links: if they are numbered already.
    comparison: with what was stored of it before.
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
        return None if self.digest is None else self.digest.comparison

    def lost(self, reason: str) -> Closed:
        """The same visit, of which nothing is used but that it has ended."""
        verdict = Verdict(OutcomeKind.INTERNAL_ERROR, reason, self.verdict.status)
        return Closed(self.visit, self.url, self.started, verdict, links=self.links)
