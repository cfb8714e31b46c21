"""What bounds a crawl, in one line."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from hinterland.crawler.fetching.flow.bounds import Bound, RequestCounts
from hinterland.crawler.fetching.flow.crawl_limits import CrawlLimits
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.library.text.limits_text import bound_advice, bound_line, limits_of, mostly_line, names_line, told_now
from tests.support.crawl_statistics import FRONTIER, statistics

HOSTS = replace(FRONTIER, hosts_ready=4, hosts_resting=310, hosts_busy=6)
LIMITS = CrawlLimits(
    Bound.POLITENESS, HOSTS, {"politeness": 90.0, "names": 10.0}, requests=40, places=64, max_visits=2000
)


@pytest.mark.parametrize("bound", Bound)
def test_each_bound_has_one_line_that_ends_without_a_stop(bound: Bound) -> None:
    limits = replace(LIMITS, bound=bound, seconds={bound.value: 1.0}, phases=RequestCounts(reading=1))
    for said in (bound_line(limits), bound_advice(limits), mostly_line(limits)):
        assert said
        assert "\n" not in said
        assert not said.endswith((".", ";", ":", " "))
    assert bound_advice(limits).startswith(bound_line(limits))


def test_politeness_is_shown_with_the_hosts_that_rest_and_the_way_out() -> None:
    assert bound_advice(LIMITS) == (
        "Bound by politeness: 310 of 320 hosts rest between requests; more hosts, or a shorter"
        " politeness.delay_seconds, would give more pages per second"
    )


def test_hosts_that_failed_are_not_said_to_rest_out_of_politeness() -> None:
    limits = replace(LIMITS, bound=Bound.FAILURES, hosts=replace(FRONTIER, hosts_resting=1))
    assert bound_advice(limits) == (
        "The only host with waiting pages failed last time, and rests until the next try; `status` says why"
    )
    several = replace(limits, hosts=replace(FRONTIER, hosts_resting=12))
    assert bound_line(several) == "All 12 hosts with waiting pages failed last time, and rest until the next try"


@pytest.mark.parametrize(
    "retrying, line",
    [
        (1, "The only waiting page has failed before, and rests until it is retried"),
        (12, "All 12 waiting pages have failed before, and rest until they are retried"),
    ],
)
def test_pages_that_wait_for_a_retry_are_counted(retrying: int, line: str) -> None:
    limits = replace(LIMITS, bound=Bound.RETRIES, hosts=replace(FRONTIER, retrying=retrying))
    assert bound_line(limits) == line


def test_slow_names_are_shown_with_how_slow_they_are() -> None:
    limits = replace(LIMITS, bound=Bound.NAMES, lookups_under_way=48, lookups=LookupsNow(3.14, last=20))
    assert bound_line(limits) == (
        "Names are slow: a lookup takes 3.1 s (the name server of this machine, 48 under way)"
    )


def test_many_names_that_are_looked_up_quickly_are_not_called_slow() -> None:
    hosts = replace(HOSTS, hosts_unnamed=4800)
    limits = replace(LIMITS, bound=Bound.NAMES, hosts=hosts, lookups_under_way=48, lookups=LookupsNow(0.02, last=20))
    assert bound_line(limits) == ("Bound by names: 4,848 hosts to be looked up, 48 under way; a lookup takes 0.02 s")


def test_a_name_server_that_is_gone_is_shown_with_the_way_out() -> None:
    limits = replace(LIMITS, bound=Bound.NAME_SERVER, lookups=LookupsNow(10.0, silent=20, last=20))
    assert bound_advice(limits) == (
        "The name server of this machine does not reply (20 of the last 20 lookups): see /etc/resolv.conf, or set"
        " fetching.lookups"
    )
    failing = replace(limits, lookups=LookupsNow(0.1, failed=20, last=20))
    assert bound_line(failing) == "The name server of this machine finds no name (20 of the last 20 lookups)"


def test_dead_names_are_shown_with_how_many_there_are() -> None:
    assert names_line(LookupsNow(found=297, dead=3)) == (
        "3 of 300 names do not exist or lead nowhere; their hosts are left alone"
    )
    assert names_line(LookupsNow(found=1, dead=1)) == (
        "1 of 2 names does not exist or leads nowhere; its host is left alone"
    )
    assert names_line(LookupsNow(found=96, dead=3, unanswered=1)) == (
        "3 of 100 names do not exist or lead nowhere; their hosts are left alone;"
        " 1 could not be looked up, and will be tried again"
    )
    assert names_line(LookupsNow(found=300)) is None


def test_what_bound_a_run_for_longest_is_shown_with_its_share() -> None:
    assert mostly_line(LIMITS) == "90% of the time by politeness"
    assert mostly_line(replace(LIMITS, seconds={})) is None


def test_what_a_run_has_reported_is_read_back_from_json() -> None:
    limits = replace(LIMITS, phases=RequestCounts(reading=3), lookups=LookupsNow(0.1, last=3, found=9))
    progress = json.loads(json.dumps(statistics(10.0, 3, weather=limits).as_json()))
    assert limits_of(progress) == limits
    assert told_now(progress) == f"{bound_advice(limits)}."


def test_reports_of_other_versions_are_read_as_far_as_they_are_understood() -> None:
    older = statistics(10.0, 3).as_json()
    assert limits_of(older) is None
    del older["weather"]
    assert limits_of(older) is None
    assert told_now(older) is None
    later = {**asdict(LIMITS), "moon": "full", "hosts": {"hosts_resting": 3, "hosts_asleep": 4}}
    later["seconds"] = {"politeness": 9.0, "the moon": 1.0}
    read = limits_of({"weather": later})
    assert read is not None
    assert (read.hosts.hosts_resting, read.hosts.hosts_ready, read.seconds) == (3, 0, {"politeness": 9.0})
    assert limits_of({"weather": {**later, "bound": "the moon"}}) is None


def test_a_network_that_is_down_comes_first_unless_it_is_the_name_server_that_is_gone() -> None:
    down = statistics(10.0, 3, network_down_seconds=90.0, weather=LIMITS).as_json()
    assert told_now(down) == "No host has been reachable for 1 min 30 s; one is tried now and then."
    gone = replace(LIMITS, bound=Bound.NAME_SERVER, lookups=LookupsNow(10.0, silent=20, last=20))
    said = told_now(statistics(10.0, 3, network_down_seconds=90.0, weather=gone).as_json())
    assert said is not None
    assert said.startswith("The name server of this machine does not reply")
