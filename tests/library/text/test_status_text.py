"""How a crawl stands, in words."""

from __future__ import annotations

from dataclasses import replace

from hinterland.crawler.features.recrawl.revisit_statistics import FreshnessOutlook, RevisitStatistics
from hinterland.crawler.fetching.flow.bounds import Bound
from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.library.text.status_text import head, hosts_section, pages_section
from hinterland.storage.values.history import Freshness
from hinterland.storage.values.hosts import HostReport, HostsReport
from hinterland.storage.values.pages import PAGE_STATES, PageCounts
from hinterland.storage.values.runs import RunReport, RunState
from tests.support.crawl_statistics import FRONTIER, statistics

NOW = 1e9
RUNNING = RunReport(1, RunState.RUNNING, NOW - 600, NOW - 5, None, ["crawl"], {})
NO_HOST = HostsReport(0, 0, 0, [], [], [], [])


def host(name: str, failures: int = 0, next_fetch: float = 0.0, error: str | None = None) -> HostReport:
    return HostReport(f"https://{name}.example", 12, 3, next_fetch, failures, error)


def test_a_crawl_whose_counters_are_old_is_said_to_be_silent_for_long() -> None:
    assert "its counters are 5.0 s old." in head("s.db", 1, NOW, [RUNNING], 77, NOW)
    assert "That is long" not in head("s.db", 1, NOW, [RUNNING], 77, NOW)
    assert "That is long" in head("s.db", 1, NOW, [replace(RUNNING, updated_at=NOW - 300)], 77, NOW)


def test_a_crawl_that_pauses_since_nothing_can_be_reached_says_so_while_it_runs() -> None:
    paused = replace(RUNNING, progress=statistics(60.0, 10, network_down_seconds=90.0).as_json())
    said = "No host has been reachable for 1 min 30 s; one is tried now and then."
    assert said in head("s.db", 1, NOW, [paused], 77, NOW)
    assert said not in head("s.db", 1, NOW, [replace(paused, state=RunState.ENDED)], None, NOW)


def test_what_bounds_a_crawl_is_shown_while_it_runs_and_what_bound_it_afterwards() -> None:
    names, seconds = LookupsNow(found=9, dead=1), {"politeness": 9.0, "names": 1.0}
    limits = CrawlLimits(Bound.POLITENESS, FRONTIER, seconds, lookups=names)
    run = replace(RUNNING, progress=statistics(60.0, 10, weather=limits).as_json())
    told = head("s.db", 1, NOW, [run], 77, NOW)
    assert "Bound by politeness: 2 of 6 hosts rest between requests; more hosts, or" in told
    assert "1 of 10 names does not exist or leads nowhere; its host is left alone." in told
    told = head("s.db", 1, NOW, [replace(run, state=RunState.ENDED)], None, NOW)
    assert "Bound 90% of the time by politeness." in told
    assert "hosts rest between requests" not in told


def test_freshness_is_weighted_by_importance_and_compared_with_the_budget() -> None:
    looks = RevisitStatistics({"same": 4}, 0, FreshnessOutlook(5000.0, 12, 0.9, 0.87, 1.5, 20.0))
    run = replace(RUNNING, state=RunState.ENDED, progress=statistics(60.0, 10, revisits=looks).as_json())
    told = head("s.db", 1, NOW, [run], None, NOW, Freshness(12, 10, 0.93, NOW - 3 * 86_400))
    assert (
        "Fresh: 93% of 10 pages by weight are probably current (nothing is known yet about 2 more);"
        " the oldest check was 3 d 0 h ago."
    ) in told
    assert "5,000 visits a day would keep 87% by weight current in the long run;" in told
    assert "; copies would be 1 d 12 h out of date on average." in told
    told = head("s.db", 1, NOW, [RUNNING], None, NOW, Freshness(12, 0, None, NOW - 7200))
    assert "Of 12 pages the oldest check was 2 h 00 min ago." in told


def test_a_host_is_shown_with_its_failures_and_the_rest_it_takes() -> None:
    hosts = replace(NO_HOST, by_pages=[host("a"), host("b", failures=2, next_fetch=NOW + 120)])
    calm, failing = hosts_section(hosts, NOW).splitlines()[-2:]
    assert calm.split() == ["https://a.example", "12", "3"]
    assert failing.endswith("2 failures in a row, rests for 2 min 00 s")


def test_hosts_that_fail_and_hosts_that_are_lost_are_shown_with_their_errors() -> None:
    hosts = replace(NO_HOST, given_up=1, failing=[host("a", error="refused\x1b")], lost=[host("b")])
    assert hosts_section(hosts, NOW).splitlines()[2:] == [
        "  failing, with the last error",
        "    https://a.example  (refused\\x1b)",
        "  given up, with the last error",
        "    https://b.example  (unknown)",
    ]


def test_of_many_hosts_that_are_given_up_the_others_are_counted() -> None:
    told = hosts_section(replace(NO_HOST, given_up=1234, lost=[host("a")]), NOW)
    assert "and 1,233 more: SELECT * FROM hosts WHERE is_given_up" in told


def test_a_store_without_hosts_has_no_table_of_them() -> None:
    assert hosts_section(NO_HOST, NOW) == "\nHosts: 0 known, 0 visited, 0 given up"


def test_files_of_other_types_are_said_to_count_as_fetched_and_not_to_be_read() -> None:
    counts = PageCounts(dict.fromkeys(PAGE_STATES, 3), dict.fromkeys(PAGE_STATES, 2))
    told = pages_section(counts).splitlines()
    assert "  fetched         3        2  HTML pages, plus other files that are recorded but not parsed" in told
