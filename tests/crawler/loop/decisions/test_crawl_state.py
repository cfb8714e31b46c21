"""What a visit, a seed or a charge changes, without an event loop, a network or a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.components import CrawlComponents
from hinterland.crawler.loop.decisions.crawl_state import CrawlState
from hinterland.crawler.loop.decisions.restored import RestoredState
from hinterland.crawler.loop.decisions.visit_records import NumberedLinks
from hinterland.crawler.parsing.html.packed_urls import PackedUrls
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.storage.values.records import Record, SettledRecord, VisitRecord
from tests.support.decisions import NOW, components_of_a_crawl, next_page, settings_of_a_crawl

SEED = "http://a.test/"


def state_of(components: CrawlComponents) -> CrawlState:
    return CrawlState(components, settings_of_a_crawl(), RestoredState(), lambda: NOW)


def seeded() -> tuple[CrawlComponents, CrawlState, Visit]:
    """A crawl whose seed is being visited."""
    components = components_of_a_crawl()
    crawl_state = state_of(components)
    crawl_state.seeded([SEED])
    return components, crawl_state, next_page(components.frontier)


def page_with(*links: str) -> PageDigest:
    parsed = ParsedPage(
        charset="utf-8", title="", description="", language="", canonical=None, link_urls=PackedUrls.of(links),
        link_kinds=bytes(len(links)), link_nofollow=bytes(len(links)), link_anchors=[""] * len(links), bad_links=0,
        nofollow=False, noindex=False,
    )  # fmt: skip
    return PageDigest(page=parsed)


def closed(visit: Visit, digest: PageDigest | None = None, **changes: Any) -> Closed:
    answer = Answer(200, b"12345", 0.1)
    of_page = Closed(visit, SEED, NOW, Verdict(OutcomeKind.FETCHED, "", 200), answer, digest or page_with())
    return replace(of_page, **changes)


def test_a_seed_becomes_known_and_waits() -> None:
    components = components_of_a_crawl()
    record = state_of(components).seeded([SEED])
    assert [page.url for page in record.new_pages] == [SEED]
    assert [host.url for host in record.new_hosts] == ["http://a.test"]
    assert next_page(components.frontier).page == 0


def test_the_record_of_a_visit_brings_the_pages_that_it_found_and_they_wait() -> None:
    components, crawl_state, visit = seeded()
    components.frontier.finished(visit, NOW, 0.1)
    [record] = crawl_state.closed(closed(visit, page_with("http://a.test/1", "http://b.test/", "http://a.test/1")))
    assert isinstance(record, VisitRecord)
    assert [page.url for page in record.new_pages] == ["http://a.test/1", "http://b.test/"]
    assert record.links is not None
    assert list(record.links.targets) == [1, 2, 1]
    assert components.frontier.counts().waiting == 1, "the other is not of the domain"
    assert components.frontier.counts().hosts == 2


def test_followers_learn_of_distinct_links_before_any_page_they_lead_to_waits() -> None:
    told: list[tuple[int, list[int], int]] = []
    components = components_of_a_crawl()
    components = replace(
        components,
        followers=(lambda page, links: told.append((page, links.tolist(), components.frontier.counts().waiting)),),
    )
    crawl_state = state_of(components)
    crawl_state.seeded([SEED])
    visit = next_page(components.frontier)
    components.frontier.finished(visit, NOW, 0.1)
    crawl_state.closed(closed(visit, page_with("http://a.test/1", "http://a.test/2", "http://a.test/1")))
    assert told == [(0, [1, 2], 0)]


def test_visits_are_numbered_on_from_those_of_earlier_runs() -> None:
    components = components_of_a_crawl()
    crawl_state = CrawlState(
        components, settings_of_a_crawl(), RestoredState(pages_fetched=7, last_visit=9), lambda: NOW
    )
    crawl_state.seeded([SEED])
    visit = next_page(components.frontier)
    components.frontier.finished(visit, NOW, 0.1)
    [record] = crawl_state.closed(closed(visit))
    assert isinstance(record, VisitRecord)
    assert record.visit == crawl_state.last_visit == 10
    assert crawl_state.pages_fetched == 8
    assert crawl_state.tally.wire_bytes == 5


def test_a_failure_that_may_be_the_hosts_settles_nothing_and_the_store_records_when_to_retry() -> None:
    components, crawl_state, visit = seeded()
    components.frontier.failed(visit, NOW)
    failure = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    verdict = Verdict(OutcomeKind.CONNECT_FAILURE, "refused")
    [record] = crawl_state.closed(closed(visit, verdict=verdict, answer=failure, digest=None))
    assert isinstance(record, VisitRecord)
    assert record.state == "waiting"
    assert record.retry_at is not None
    assert record.retry_at > NOW
    assert record.host_state.last_error == "connect_failure: refused"
    assert crawl_state.tally.retries == 1


def test_a_page_charged_as_often_as_it_may_be_tried_is_settled() -> None:
    components, crawl_state, visit = seeded()
    failure = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    components.frontier.failed(visit, NOW)
    crawl_state.closed(closed(visit, verdict=Verdict(failure.kind, failure.detail), answer=failure, digest=None))
    records: list[Record] = []
    while not records:
        records = crawl_state.charged([visit.page])
    assert records == [SettledRecord(visit.page, "failed")]
    assert crawl_state.tally.outcomes == {OutcomeKind.CONNECT_FAILURE: 1}


def test_the_links_of_a_page_numbered_in_batches_are_those_of_the_page() -> None:
    components, crawl_state, visit = seeded()
    components.frontier.finished(visit, NOW, 0.1)
    digest = page_with(*(f"http://a.test/{number}" for number in range(5)))
    assert digest.page is not None
    links = NumberedLinks([])
    found = [crawl_state.part_read(visit.page, digest.page, slice(at, at + 2), links) for at in (0, 2, 4)]
    assert [len(record.new_pages) for record in found] == [2, 2, 1]
    [record] = crawl_state.closed(closed(visit, digest, links=links))
    assert isinstance(record, VisitRecord)
    assert record.links is not None
    assert list(record.links.targets) == [1, 2, 3, 4, 5]
    assert not record.new_pages, "the store has them already"
