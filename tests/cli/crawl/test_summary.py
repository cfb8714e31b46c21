"""How a crawl ended, in words for people."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hinterland.cli.crawl.summary import summary
from hinterland.crawler.features.topics.links.exploration_accuracy import exploration_accuracy
from hinterland.crawler.features.topics.links.exploration_sample import Draw
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls.ending import Ending, StoreContent
from hinterland.library.crawls.progress import RateMeter
from hinterland.storage.values.hosts import HostReport, HostsReport, SlowedReport
from hinterland.storage.values.pages import PAGE_STATES, PageCounts
from tests.support.crawl_statistics import statistics

COUNTS = dict.fromkeys(PAGE_STATES, 7)
CONTENT = StoreContent(12_345, PageCounts(COUNTS, COUNTS), [], HostsReport(5, 3, 0, [], [], [], []))


def ended(content: StoreContent | None = CONTENT, **counters: Any) -> str:
    progress = RateMeter(10.0).progress(statistics(10.0, 100, **counters))
    return summary(Ending(EndReason.EXHAUSTED, progress, "s.db", content, ["status s.db"]))


def host(name: str, error: str | None) -> HostReport:
    return HostReport(f"https://{name}.example", 0, 3, 0.0, 2, error)


def test_what_the_store_holds_is_not_told_where_it_cannot_be_read() -> None:
    assert "In the store, all runs together:" in ended()
    assert "Store  s.db (12.3 KB)" in ended()
    assert "In the store" not in ended(None)
    assert ended(None).endswith("\nStore  s.db\nNext   status s.db")


def test_retries_and_parsers_that_were_replaced_are_shown_if_there_were_any() -> None:
    told = ended(retries=1200, parser_restarts=1)
    assert "  retries   1,200 failed visits to be repeated later" in told
    assert "  parsers   1 parser process replaced" in told
    assert "retries" not in ended()
    assert "parsers" not in ended()


def test_what_the_sampled_pages_say_stands_under_one_name() -> None:
    accuracy = exploration_accuracy([Draw(0, 0.9, 1.0, 0.8, 500)], visits=10, relevant=5, waiting=100)
    first, second, *_ = [
        line for line in ended(accuracy=accuracy).splitlines() if "sampled" in line or "waiting page" in line
    ]
    assert first.startswith("  sample    of 1 sampled page 100 % (21 to 100) are relevant")
    assert second.startswith(12 * " " + "of 100 waiting pages about 100 (21 to 100) are relevant")
    assert "sampled" not in ended()


def test_hosts_that_rest_after_a_failure_and_hosts_given_up_are_distinguished() -> None:
    hosts = HostsReport(5, 3, 3, [], [], [host("a", "refused\x1b")], [host("b", "no such name"), host("c", None)])
    lines = ended(replace(CONTENT, hosts=hosts)).splitlines()
    failing = lines.index("Hosts that failed last time and rest until the next try")
    assert lines[failing + 1 : failing + 7] == [
        "  https://a.example  (refused\\x1b)",
        "",
        "Given up: 3 hosts; crawl --resume gives each another chance.",
        "  https://b.example  (no such name)",
        "  https://c.example",
        "  and 1 more; status names them",
    ]


def test_pages_that_wait_are_shown_with_all_that_keeps_them_waiting() -> None:
    slowed = SlowedReport("https://a.example", "/months?at", "repeats", 700, 500, 0, 1200)
    frontier = replace(statistics(0.0, 0).frontier, stranded=4)
    told = ended(replace(CONTENT, slowed=[slowed]), frontier=frontier)
    [waiting] = [line for line in told.splitlines() if line.startswith("  waiting")]
    assert "4 at hosts that are given up or at scope.max_pages_per_host" in waiting
    assert waiting.endswith("1,200 in endless URL spaces")


def test_files_that_features_requested_are_told_by_their_outcomes() -> None:
    told = ended(
        requisites={"too_large": 2, "redirected": 1, "left_out": 3, "waiting": 0},
        link_checks={"fetched": 1200, "client_error": 1, "waiting": 0},
    )
    assert "  requisites  0 fetched, 1 redirected, 3 left out (requisites.max_per_page), 2 too large" in told
    assert "  checks      1,200 there, 1 client error" in told
    assert "checks" not in ended()
