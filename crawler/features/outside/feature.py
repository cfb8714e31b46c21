"""The feature of the crawl loop that fetches pages outside the domain (the hinterland), round by round."""

from __future__ import annotations

from collections.abc import Sequence

from hinterland.analysis.estimates.estimate_error import informative_refreshes
from hinterland.analysis.estimates.estimation import Estimation
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.rank_codec import unpacked
from hinterland.crawler.features.outside.budget import HinterlandBudget
from hinterland.crawler.features.outside.outside_pages import OutsidePages
from hinterland.crawler.features.outside.rank_records import past_estimates
from hinterland.crawler.features.outside.rounds import Rounds
from hinterland.crawler.features.outside.sampling_schedule import EarlierEstimate, SamplingSchedule
from hinterland.crawler.features.outside.settings import HinterlandSettings
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.policies.policy import FrontierPolicy
from hinterland.crawler.loop.crawl_start import CoreState, CrawlRequest, FeatureFactory
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.moments import UpkeepJob
from hinterland.crawler.loop.restorable import Restorable, RestoredPages
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.plugins.kinds import ESTIMATOR, PluginKind
from hinterland.crawler.settings import Settings
from hinterland.distribution.extras import need
from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.ranks import EstimateReport


def estimator_of(settings: HinterlandSettings) -> str:
    """Return the name of the configured estimator."""
    return settings.estimator or DEFAULT_ESTIMATOR


class OutsideSampling(OutsidePages, Restorable):
    """Fetches pages outside the domain, in rounds that estimate PageRank and choose pages."""

    def __init__(
        self, settings: HinterlandSettings, known: KnownPages, frontier: Frontier, policy: FrontierPolicy, log: LinkLog
    ) -> None:
        """Start without estimates."""
        estimator = estimator_of(settings)
        super().__init__(SamplingSchedule(settings), known=known, frontier=frontier, policy=policy, estimator=estimator)
        self._log = log
        self._estimation = Estimation(estimator)
        self._round: RunRound | None = None

    @property
    def ranks_candidates(self) -> bool:
        """Whether candidates are ranked as they are discovered."""
        return not self._policy.needs_refresh

    async def restore(self, store: LinkStore, stored: RestoredPages) -> None:
        """Continue from what earlier runs estimated and fetched."""
        last = await store.ask(lambda reader: reader.ranks.last_estimate())
        estimates = await store.ask(lambda reader: reader.ranks.estimates())
        self.schedule.restore(
            local_fetched=stored.local_fetched,
            outside_fetched=stored.pages_fetched - stored.local_fetched,
            crawled_since_estimate=stored.pages_fetched if last is None else last.crawled_since,
            is_local_done=stored.is_local_done,
            history=[_movement(each, self._estimator) for each in estimates],
        )
        if self.ranks_candidates:
            self.schedule.add_candidates(stored.candidates, stored.urgencies)
        self.restore_waiting(stored.outside)
        self._estimation = await estimation_from(self._estimator, store)

    def open(self, workings: Workings) -> None:
        """Queue the pages that earlier runs left waiting, and prepare the rounds."""
        self.requeue_restored()
        rounds = Rounds(
            self,
            self._estimation,
            known=self._known,
            policy=self._policy,
            log=self._log,
            writer=workings.io.writer,
            now=workings.io.now,
            preparation=workings.preparation,
        )
        self._round = RunRound(rounds, self.schedule, workings)

    def jobs(self) -> Sequence[UpkeepJob]:
        """Return the job that runs a round."""
        return [] if self._round is None else [self._round]

    async def finish(self) -> None:
        """Bring the estimate up to date."""
        if self._round is not None:
            await self._round.finish()


async def estimation_from(name: str, store: LinkStore) -> Estimation:
    """Return an estimation by the estimator `name` that continues from its last estimate in the store."""
    last = await store.ask(lambda stored: stored.ranks.last_estimate())
    last_ranks = unpacked(last.ranks) if last is not None and last.estimator == name else None
    past = await store.ask(lambda stored: list(stored.ranks.past_estimates(name, informative_refreshes)))
    return Estimation(name, last_ranks, past=past_estimates(past))


def _movement(stored: EstimateReport, estimator: str) -> EarlierEstimate:
    if stored.estimator != estimator:
        return EarlierEstimate(stored.local_pages, stored.outside_pages, None)
    return EarlierEstimate(stored.local_pages, stored.outside_pages, stored.change, stored.error_at_most)


class RunRound:
    """The job that runs a round: it estimates PageRank and chooses pages outside the domain."""

    is_pressing = False  # Dispatch wakes the upkeep for it

    def __init__(self, rounds: Rounds, schedule: SamplingSchedule, workings: Workings) -> None:
        """Run `rounds` as a job of the crawl."""
        self._rounds = rounds
        self._schedule = schedule
        self._workings = workings

    @property
    def is_due(self) -> bool:
        """Whether a round should begin now."""
        return self._rounds.is_due

    async def run(self) -> None:
        """Run one round; end the crawl if the estimate has converged."""
        await self._rounds.run(self._workings.crawl_state.last_visit)
        if self._schedule.is_settled:
            self._workings.dispatch.end(EndReason.SETTLED)
        self._workings.schedule()

    async def finish(self) -> None:
        """Bring the estimate up to date once no visit is in flight."""
        await self._rounds.last_estimate(self._workings.crawl_state.last_visit)


class OutsideSamplingFactory(FeatureFactory):
    """Adds outside sampling to crawls with a budget for pages outside the domain."""

    counters = ("hinterland",)

    def require(self, settings: Settings) -> None:
        """Check that the packages for estimates are installed. Raises MissingExtra."""
        if _is_wanted(settings):
            need("rank", by="a crawl of the hinterland")

    def plugins(self, settings: Settings) -> Sequence[tuple[PluginKind, str]]:
        """Return the estimator, if one is named."""
        estimator = settings.of(HinterlandSettings).estimator
        return [(ESTIMATOR, estimator)] if estimator else []

    def refused_in_shards(self, request: CrawlRequest) -> str:
        """Return "a hinterland" if the request has a budget for pages outside, which shards do not fetch; else ""."""
        return "a hinterland" if _is_wanted(request.settings) else ""

    def needs_links(self, request: CrawlRequest) -> bool:
        """Return whether estimates are made, which need all links."""
        return request.chooser is None and _is_wanted(request.settings)

    def make_restorable(self, request: CrawlRequest, core: CoreState) -> OutsideSampling | None:
        """Return the feature, without estimates."""
        if not self.needs_links(request) or core.log is None:
            return None
        settings = request.settings.of(HinterlandSettings)
        return OutsideSampling(settings, core.known, core.frontier, core.policy, core.log)


def _is_wanted(settings: Settings) -> bool:
    """Return whether there is a budget for outside pages."""
    return not HinterlandBudget.parse(settings.of(HinterlandSettings).budget).is_none
