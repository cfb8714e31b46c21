"""Detects soft 404s: requests a page that cannot exist, to learn how the server answers.

Each directory is probed at most once a month, when its host's turn comes and if its robots.txt allows it.
"""

from __future__ import annotations

import secrets
import string
from typing import Final

from hinterland.crawler.features.recrawl.settings import RevisitSettings
from hinterland.crawler.features.soft_404.soft_404 import (
    ComparedPage,
    Soft404,
    directory_of,
    is_front,
    probe_url,
    says_the_same,
)
from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.fetching.verdicts import Verdict, judge
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.crawl_start import CrawlStart, FeatureFactory
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import ReadPage
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.messages import RawPage
from hinterland.crawler.urls.hosts import path_of
from hinterland.storage.values.compression import unpacked
from hinterland.storage.values.soft_404 import ProbedDirectory

_TOKEN_LETTERS: Final = 20


class SiblingProbes(Feature):
    """Judges each page right after it was read, while its visit still occupies its host."""

    asks_beside = True

    def __init__(self, soft_404: Soft404) -> None:
        """Start with the probes known so far."""
        self._soft_404 = soft_404

    def open(self, workings: Workings) -> None:
        """Keep the parts of the crawl that later calls use."""
        self._canonicaliser = workings.components.canonicaliser
        self._io = workings.io
        self._attribution = workings.attribution
        self._limits = workings.limits

    async def judged(self, read: ReadPage) -> Verdict:
        """Return the verdict on a page that was just read.

        The verdict is SOFT_404 if the page says the same as the server's answer for a page that cannot exist.
        """
        verdict, digest, url = read.verdict, read.digest, read.url
        if digest is None:
            return verdict
        share = None if digest.comparison is None else digest.comparison.share
        if digest.page is None or digest.text is None or digest.is_shell or is_front(path_of(url)):
            return verdict
        if not self._soft_404.is_suspicious(is_revisit=read.is_revisit, share=share):
            return verdict
        probed = self._soft_404.probed(url, self._io.now()) or await self._ask(url, read.visit, read.rules)
        if probed is None or probed.text is None:
            return verdict
        probe = ComparedPage(probed.url, probed.title, unpacked(probed.text))
        if not says_the_same(ComparedPage(url, digest.page.title, unpacked(digest.text)), probe):
            return verdict
        return Verdict(OutcomeKind.SOFT_404, f"says the same as the server's answer to {probed.url}"[:500], 200)

    async def _ask(self, url: str, visit: Visit, rules: RobotsRules) -> ProbedDirectory | None:
        """Probe the directory of a URL; return None if the probe is not allowed."""
        directory, io = directory_of(url), self._io
        wanted = probe_url(directory, "".join(secrets.choice(string.ascii_lowercase) for _ in range(_TOKEN_LETTERS)))
        if not rules.allows(path_of(wanted)):
            return None
        answer = await self._fetched(wanted)
        if isinstance(answer, NoAnswer) and answer.is_stale:
            answer = await self._fetched(wanted)
        if answer is None:
            return None
        self._attribution.heard(visit.host, answer, io.now())
        if isinstance(answer, NoAnswer):
            found = ProbedDirectory(directory, wanted, io.now(), None)  # it is not probed again for a month either
        else:
            found = await self._read(directory, wanted, answer)
        self._soft_404.remember(found)
        io.writer.submit(found)
        return found

    async def _fetched(self, url: str) -> Answer | NoAnswer | None:
        """Make one request when the host may be visited; return None if the host may not."""
        assert self._io.host_slots is not None
        if (release := await self._io.host_slots.acquire(url)) is None:
            return None
        seconds = 0.0
        try:
            answer = await self._io.fetcher.fetch(url, self._limits)
            seconds = answer.seconds
        finally:
            release(seconds, 0.0)
        return answer

    async def _read(self, directory: str, wanted: str, answer: Answer) -> ProbedDirectory:
        now = self._io.now()
        if judge(answer, wanted, self._canonicaliser).kind is not OutcomeKind.FETCHED:
            return ProbedDirectory(directory, wanted, now, answer.status)
        raw = RawPage(wanted, answer.body, answer.content_encoding, answer.content_type)
        digest = await self._io.parsers.parse(raw)
        title = "" if digest.page is None else digest.page.title
        return ProbedDirectory(directory, wanted, now, answer.status, title, digest.text)


class Soft404Factory(FeatureFactory):
    """Adds probes for soft 404s to crawls whose settings ask for them."""

    async def make(self, start: CrawlStart) -> SiblingProbes | None:
        """Return the feature, with the probes of earlier runs."""
        choice = start.settings.of(RevisitSettings).soft_404
        if choice == "never":
            return None
        return SiblingProbes(Soft404(choice, await start.store.ask(lambda stored: stored.history.probed())))
