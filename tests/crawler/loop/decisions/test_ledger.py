"""What a visit, a seed or a charge changes, without an event loop, a network or a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hinterland.crawler.fetching.answers import Answer, NoAnswer
from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.fetching.verdicts import Verdict
from hinterland.crawler.frontier.visits import Visit
from hinterland.crawler.loop.decisions.closed_visits import Closed
from hinterland.crawler.loop.decisions.ledger import Ledger
from hinterland.crawler.loop.decisions.parts import Parts
from hinterland.crawler.loop.decisions.restored import Restored
from hinterland.crawler.loop.decisions.visit_records import NumberedLinks
from hinterland.crawler.parsing.html.packed_urls import PackedUrls
from hinterland.crawler.parsing.html.parsed_page import ParsedPage
from hinterland.crawler.parsing.messages import PageDigest
from hinterland.storage.values.records import Record, SettledRecord, VisitRecord
from tests.support.decisions import NOW, next_page, parts_of_a_crawl, settings_of_a_crawl

SEED = "http://a.test/"


def ledger_of(parts: Parts) -> Ledger:
    return Ledger(parts, settings_of_a_crawl(), Restored(), lambda: NOW)


def seeded() -> tuple[Parts, Ledger, Visit]:
    """A crawl whose seed is being visited."""
    parts = parts_of_a_crawl()
    ledger = ledger_of(parts)
    ledger.seeded([SEED])
    return parts, ledger, next_page(parts.frontier)


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
    parts = parts_of_a_crawl()
    record = ledger_of(parts).seeded([SEED])
    assert [page.url for page in record.new_pages] == [SEED]
    assert [host.url for host in record.new_hosts] == ["http://a.test"]
    assert next_page(parts.frontier).page == 0


def test_the_record_of_a_visit_brings_the_pages_that_it_found_and_they_wait() -> None:
    parts, ledger, visit = seeded()
    parts.frontier.finished(visit, NOW, 0.1)
    [record] = ledger.closed(closed(visit, page_with("http://a.test/1", "http://b.test/", "http://a.test/1")))
    assert isinstance(record, VisitRecord)
    assert [page.url for page in record.new_pages] == ["http://a.test/1", "http://b.test/"]
    assert record.links is not None
    assert list(record.links.targets) == [1, 2, 1]
    assert parts.frontier.counts().waiting == 1, "the other is not of the domain"
    assert parts.frontier.counts().hosts == 2


def test_followers_are_told_of_distinct_links_before_any_page_they_lead_to_waits() -> None:
    told: list[tuple[int, list[int], int]] = []
    parts = parts_of_a_crawl()
    parts = replace(
        parts, followers=(lambda page, links: told.append((page, links.tolist(), parts.frontier.counts().waiting)),)
    )
    ledger = ledger_of(parts)
    ledger.seeded([SEED])
    visit = next_page(parts.frontier)
    parts.frontier.finished(visit, NOW, 0.1)
    ledger.closed(closed(visit, page_with("http://a.test/1", "http://a.test/2", "http://a.test/1")))
    assert told == [(0, [1, 2], 0)]


def test_visits_are_numbered_on_from_those_of_earlier_runs() -> None:
    parts = parts_of_a_crawl()
    ledger = Ledger(parts, settings_of_a_crawl(), Restored(pages_fetched=7, last_visit=9), lambda: NOW)
    ledger.seeded([SEED])
    visit = next_page(parts.frontier)
    parts.frontier.finished(visit, NOW, 0.1)
    [record] = ledger.closed(closed(visit))
    assert isinstance(record, VisitRecord)
    assert record.visit == ledger.last_visit == 10
    assert ledger.pages_fetched == 8
    assert ledger.tally.wire_bytes == 5


def test_a_failure_that_may_be_the_hosts_settles_nothing_and_the_store_is_told_when_to_try_again() -> None:
    parts, ledger, visit = seeded()
    parts.frontier.failed(visit, NOW)
    failure = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    verdict = Verdict(OutcomeKind.CONNECT_FAILURE, "refused")
    [record] = ledger.closed(closed(visit, verdict=verdict, answer=failure, digest=None))
    assert isinstance(record, VisitRecord)
    assert record.state == "waiting"
    assert record.retry_at is not None
    assert record.retry_at > NOW
    assert record.host_state.last_error == "connect_failure: refused"
    assert ledger.tally.retries == 1


def test_a_page_charged_as_often_as_it_may_be_tried_is_settled() -> None:
    parts, ledger, visit = seeded()
    failure = NoAnswer(OutcomeKind.CONNECT_FAILURE, "refused", 0.1)
    parts.frontier.failed(visit, NOW)
    ledger.closed(closed(visit, verdict=Verdict(failure.kind, failure.detail), answer=failure, digest=None))
    records: list[Record] = []
    while not records:
        records = ledger.charged([visit.page])
    assert records == [SettledRecord(visit.page, "failed")]
    assert ledger.tally.outcomes == {OutcomeKind.CONNECT_FAILURE: 1}


def test_the_links_of_a_page_numbered_in_parts_are_those_of_the_page() -> None:
    parts, ledger, visit = seeded()
    parts.frontier.finished(visit, NOW, 0.1)
    digest = page_with(*(f"http://a.test/{number}" for number in range(5)))
    assert digest.page is not None
    links = NumberedLinks([])
    found = [ledger.part_read(visit.page, digest.page, slice(at, at + 2), links) for at in (0, 2, 4)]
    assert [len(record.new_pages) for record in found] == [2, 2, 1]
    [record] = ledger.closed(closed(visit, digest, links=links))
    assert isinstance(record, VisitRecord)
    assert record.links is not None
    assert list(record.links.targets) == [1, 2, 3, 4, 5]
    assert not record.new_pages, "the store has them already"
