"""A part of the hostile web, crawled as `python -m benchmarks.hostile_web` does it: nobody loses a good page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.hostile.behaviour import Behaviour
from benchmarks.hostile.hosts import GROUPS, Host, chosen_hosts
from benchmarks.hostile.verdict import Evidence, crawl_violations, gaps, rows
from benchmarks.hostile_web import crawled

PART = """
    robots/missing robots/redirect-loop robots/some-forbidden robots/nothing-allowed robots/html
    robots/rubbish redirects/to-itself redirects/endless redirects/forty-hops redirects/to-javascript
    redirects/refresh-loop slow/head-byte-by-byte slow/tiny-chunks framing/length-and-chunks
    framing/length-too-large framing/chunk-overflow framing/rubbish framing/two-answers encodings/gzip-bomb
    encodings/gzip-thrice encodings/not-gzip encodings/zstd-bomb charsets/utf-16-said charsets/nonsense
    charsets/nuls types/none types/picture-as-html types/gigabyte statuses/500 statuses/999 statuses/busy-once
    html/nested-headings html/long-title html/unclosed html/control-characters traps/calendar traps/deeper
    network/refused network/page-resets network/private-address tls/good tls/expired tls/plain-http
    floods/long-validators floods/robots-tags
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="addresses like 127.66.1.1 are there without being set up")
def test_no_behaviour_of_a_part_of_the_hostile_web_costs_a_good_page(tmp_path: Path) -> None:
    names = PART.split()
    hosts = chosen_hosts(names=names)
    evidence = crawled(hosts, names, tmp_path, seconds=100.0)
    table = rows(hosts, evidence)
    assert [each for row in table.values() for each in row.violations] == []
    assert set(table) == {*GROUPS, "control"}
    assert "Traceback" not in evidence.output
    assert evidence.store_bytes < 10 * sum(evidence.sent.values())


def test_there_are_at_least_150_behaviours_in_thirteen_groups_each_with_a_host_of_its_own() -> None:
    hosts = [host for host in chosen_hosts() if host.group != "control"]
    assert len(GROUPS) == 13
    assert len({host.name for host in hosts}) == len({host.address for host in hosts} | {"10.1.2.3"}) >= 150


def evidence(**changes: Any) -> Evidence:
    values: dict[str, Any] = {
        "port": 80, "requests": [], "lags": [], "sent": {"a.test": 100}, "outcomes": {}, "rest_seconds": 0.5,
        "watched": (0.0, 10.0), "peak_pss_mb": 100.0, "store_bytes": 500, "exit_code": 0, "stop_seconds": 1.0,
        "output": "",
    }  # fmt: skip
    return Evidence(**values | changes)


HOST = Host("robots", Behaviour("odd", forbidden=["/no"], expected={"/odd": "fetched"}, good=1), "a.test", "127.0.0.1")
CONTROL = Host("control", Behaviour("0", good=0), "c.test", "127.0.0.2")


def test_what_is_missing_forbidden_or_other_than_expected_is_a_violation() -> None:
    seen = evidence(requests=[(1.0, "a.test", "/no")], outcomes={"http://a.test:80/": "fetched"})
    found = rows([HOST], seen)["robots"]
    assert (found.good, found.good_fetched, found.requests, found.sent) == (2, 1, 1, 100)
    assert found.violations == [
        "a.test: 1 of 2 good pages were not fetched: /good/1 (None)",
        "a.test: /no was asked for, though robots.txt forbids it",
        "a.test: /odd came to None, not fetched",
    ]
    outcomes = {f"http://a.test:80{path}": "fetched" for path in ("/", "/good/1", "/odd")}
    assert rows([HOST], evidence(outcomes=outcomes))["robots"].violations == []


def test_a_good_host_that_waits_is_a_violation_unless_the_server_was_late_itself() -> None:
    requests = [(at, "c.test", "/c/1") for at in (0.0, 0.5, 3.0, 9.9)]
    [(longer, begin, host), *_] = gaps([CONTROL], evidence(requests=requests))
    assert (round(longer, 6), begin, host) == (6.4, 3.0, "c.test")
    assert len(list(crawl_violations([CONTROL], evidence(requests=requests)))) == 2
    late = evidence(requests=requests, lags=[(2.9, 1.9), (9.0, 6.0)])
    assert list(crawl_violations([CONTROL], late)) == []
    starved = evidence(requests=requests, starved=[(2.9, 1.9), (9.0, 6.0)])
    assert list(crawl_violations([CONTROL], starved)) == []


def test_memory_disk_crashes_and_a_late_end_are_violations() -> None:
    bad = evidence(peak_pss_mb=301.0, store_bytes=1001, exit_code=1, stop_seconds=31.0, output="Traceback (most ...")
    assert len(list(crawl_violations([], bad))) == 5
    assert list(crawl_violations([], evidence(exit_code=6))) == []
