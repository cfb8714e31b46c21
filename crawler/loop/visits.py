"""The steps that visits to pages and host tasks share: URLs, rules, one request, and clean-up on errors."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from hinterland.crawler.fetching.answers import Answer, BodyLimits, NoAnswer
from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.crawler.fetching.validators import NO_VALIDATORS, Validators
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.crawl_io import CrawlIO
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.moments import RevisitOfPage
from hinterland.crawler.loop.robots_reading import rules_of_host

T = TypeVar("T")


class Visits:
    """The steps that visits to pages and host tasks share."""

    def __init__(self, components: CrawlComponents, io: CrawlIO) -> None:
        """Use the components and I/O of a crawl."""
        self._frontier = components.frontier
        self._robots = components.robots
        self._urls = components.urls
        self._features = components.features
        self._io = io
        self._writer = io.writer
        self._now = io.now

    async def url_of(self, visit: Visit, page: int) -> str:
        """Return the URL of a page. If it must be read from the store, the next URLs of the host are read with it."""
        url = self._urls.take(page)
        if url is not None:
            return url
        if not self._urls.is_stored(page):
            await self.guarded(visit, self._writer.submit())  # returns once everything submitted before is committed
        ahead = self._frontier.upcoming(visit.host, self._features.read_ahead)
        return await self.guarded(visit, self._urls.read(page, ahead))

    async def revisit(self, visit: Visit) -> RevisitOfPage | None:
        """Return how to revisit a stored page; None if the page is not stored."""
        if not self._features.adds_no_page(visit.page):
            return None
        return await self.guarded(visit, self._features.revisit(visit))

    async def rules_of(self, visit: Visit, host: int) -> RobotsRules:
        """Return the rules of a host whose robots.txt is known."""
        rules = self._robots.rules_at_hand(host)
        return rules if rules is not None else await self.guarded(visit, rules_of_host(self._robots, host))

    async def fetched(
        self,
        visit: Visit,
        url: str,
        limits: BodyLimits,
        validators: Validators = NO_VALIDATORS,
        *,
        form: str | None = None,
    ) -> Answer | NoAnswer | None:
        """Make the request of a visit and return its answer. `form` is sent by POST.

        Returns None if the server had closed the kept-alive connection. That is no failure: the visit goes back to the
        frontier, and is made over a new connection after the host's rest.
        """
        self._frontier.sent(visit, self._now())
        fetch = self._io.fetcher.fetch
        request = fetch(url, limits, validators) if form is None else fetch(url, limits, form=form)
        answer = await self.guarded(visit, request)
        self._io.flow.served(visit, self._now())
        if isinstance(answer, NoAnswer) and answer.is_stale:
            self._frontier.abandoned(visit, self._now())
            return None
        return answer

    async def guarded(self, visit: Visit, work: Awaitable[T]) -> T:
        """Await `work` during a visit; if it is cancelled, give the visit back to the frontier."""
        try:
            return await work
        except Exception:
            raise  # the caller ends the visit
        except BaseException:
            self._frontier.abandoned(visit, self._now())
            raise

    def must_end_crawl(self, error: Exception, crawl_state: CrawlState) -> bool:
        """Return whether an error in a visit concerns the whole crawl."""
        return crawl_state.is_broken or self._writer.has_failed or self._io.ends_crawl(error)
