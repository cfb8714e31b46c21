"""The first failure of each kind is reported at once, the others are only counted."""

from __future__ import annotations

from hinterland.crawler.loop.decisions.first_failures import FirstFailure, FirstFailures
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import Record, VisitRecord


def host(error: str | None = None, number: int = 0) -> HostStateRecord:
    return HostStateRecord(number, None, 0.0, 1.0, 0, 0, False, error)


def visit(outcome: str, detail: str = "", page: int = 0) -> VisitRecord:
    return VisitRecord(1, page, "waiting", outcome, detail, 1, 0.0, 0.1, host())


def told(*records: Record) -> list[FirstFailure]:
    return list(FirstFailures().among(records))


def test_the_first_failure_of_each_kind_is_reported_with_its_reason() -> None:
    assert told(
        visit("server_error", "status 500", 3), visit("server_error", "status 501", 4), visit("disconnected", "", 5)
    ) == [FirstFailure(0, 3, "server_error: status 500"), FirstFailure(0, 5, "disconnected")]


def test_a_failure_of_a_host_is_reported_for_the_host() -> None:
    failures = FirstFailures()
    robots = "robots.txt: connect_failure: nobody listens"
    assert list(failures.among([host(), host(robots, 7)])) == [FirstFailure(7, None, robots)]
    assert not list(failures.among([host("connect_failure: again"), visit("connect_failure", "again")]))


def test_ordinary_failures_are_reported_only_until_a_page_was_fetched() -> None:
    assert [each.reason for each in told(visit("robots"), visit("client_error", "status 404"))] == [
        *("robots", "client_error: status 404")
    ]
    assert not told(visit("redirected"), visit("fetched"), visit("client_error", "status 404"), visit("robots"))
