"""Who goes next within the budget, and when a crawl ends: decided without an event loop."""

from __future__ import annotations

from math import inf

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.visits import Visit, Wait
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.dispatch import Dispatch
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.loop.decisions.restored import RestoredState
from tests.support.decisions import NOW, components_of_a_crawl, settings_of_a_crawl


class Course:
    """A crawl of pages on as many hosts, all known and waiting, each visited at once when it is its turn."""

    def __init__(self, pages: int, max_pages: int | None = None, *, has_depth_limit: bool = False) -> None:
        self.components: CrawlComponents = components_of_a_crawl()
        self.crawl_state = CrawlState(self.components, settings_of_a_crawl(), RestoredState(), lambda: NOW)
        self.woken = 0
        self.dispatch = Dispatch(
            self.components,
            self.crawl_state,
            max_pages=max_pages,
            max_retry_wait_seconds=60.0,
            has_depth_limit=has_depth_limit,
            wake_upkeep=self._wake,
        )
        self.crawl_state.seeded([f"http://h{number}.test/" for number in range(pages)])
        for host in range(pages):
            self.components.frontier.restore_robots(host, inf, None)

    def _wake(self) -> None:
        self.woken += 1

    def next_page(self) -> Visit | Wait | None:
        """The next visit to a page; addresses are found on the way."""
        while isinstance(said := self.dispatch.next(NOW), Visit) and said.host_task is not None:
            self.components.frontier.resolved(said, None, NOW)
            self.dispatch.ended(said)
        return said

    def fetch(self, visit: Visit) -> None:
        self.crawl_state.tally.outcomes[OutcomeKind.FETCHED] += 1
        self.components.frontier.finished(visit, NOW, 0.1)
        self.dispatch.ended(visit)


def test_a_crawl_ends_when_nothing_waits_and_nothing_is_under_way() -> None:
    course = Course(2)
    first, second = course.next_page(), course.next_page()
    assert isinstance(first, Visit)
    assert isinstance(second, Visit)
    assert course.next_page() == Wait(inf)
    course.fetch(first)
    assert course.dispatch.reason is None
    course.fetch(second)
    assert course.next_page() is None
    assert course.dispatch.reason is EndReason.EXHAUSTED


def test_visits_under_way_count_against_the_budget_until_they_turn_out_to_be_no_pages() -> None:
    course = Course(3, max_pages=1)
    first = course.next_page()
    assert isinstance(first, Visit)
    assert course.next_page() is None
    assert course.dispatch.reason is None
    course.components.frontier.finished(first, NOW, 0.1)  # a redirect, perhaps
    course.dispatch.ended(first)
    second = course.next_page()
    assert isinstance(second, Visit)
    course.fetch(second)
    assert course.next_page() is None
    assert course.dispatch.reason is EndReason.MAX_PAGES


def test_more_pages_are_allowed_than_before_and_no_more_than_that_while_pages_are_being_written() -> None:
    course = Course(9, max_pages=3)
    under_way = [course.next_page() for _ in range(3)]
    course.crawl_state.tally.outcomes[OutcomeKind.FETCHED] += 3  # and none of the visits has ended
    assert course.dispatch.allow(4) == 4
    for visit in under_way:
        assert isinstance(visit, Visit)
        course.dispatch.ended(visit)
    assert isinstance(course.next_page(), Visit)
    assert course.next_page() is None


def test_fewer_pages_are_allowed_than_before_but_those_that_are_under_way() -> None:
    course = Course(9, max_pages=9)
    assert all(isinstance(course.next_page(), Visit) for _ in range(4))
    assert course.dispatch.allow(2) == 4
    assert course.next_page() is None


def test_a_crawl_that_fetched_nothing_says_so() -> None:
    course = Course(1)
    visit = course.next_page()
    assert isinstance(visit, Visit)
    course.components.frontier.finished(visit, NOW, 0.1)
    course.dispatch.ended(visit)
    assert course.next_page() is None
    assert course.dispatch.reason is EndReason.NOTHING_FETCHED


def test_before_it_ends_a_crawl_with_a_depth_limit_looks_for_pages_that_lie_nearer_than_recorded() -> None:
    course = Course(1, has_depth_limit=True)
    course.components.known.has_stale_depths = True
    visit = course.next_page()
    assert isinstance(visit, Visit)
    course.fetch(visit)
    assert course.next_page() is None
    assert course.dispatch.depths_are_due
    assert course.woken == 1
    assert course.dispatch.reason is None
    course.components.known.has_stale_depths = False
    assert course.next_page() is None
    assert course.dispatch.reason is EndReason.EXHAUSTED


def test_a_crawl_that_was_stopped_begins_nothing_more_and_keeps_its_first_reason() -> None:
    course = Course(2)
    course.dispatch.end(EndReason.STOPPED)
    course.dispatch.end(EndReason.MAX_PAGES)
    assert course.next_page() is None
    assert course.dispatch.reason is EndReason.STOPPED
