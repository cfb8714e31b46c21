"""What bounds a crawl: one thing at each moment, whatever the figures are."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.flow.bounds import Bound, LoadSample, RequestCounts, bound_of
from hinterland.crawler.fetching.flow.crawl_limits import LimitWatch, summed
from hinterland.crawler.fetching.flow.flow import Congestion
from hinterland.crawler.fetching.flow.lookup_record import LookupsNow
from hinterland.crawler.frontier.visits import FrontierCounts

NO_HOST = FrontierCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
CALM = LoadSample(NO_HOST, visits=10, max_visits=100, requests=10, places=32)


def hosts(**counts: int) -> FrontierCounts:
    return replace(NO_HOST, **{"waiting": 1000, **counts})


RESTING = replace(CALM, hosts=hosts(hosts_resting=90))
CROWDED = replace(CALM, hosts=hosts(hosts_ready=50, hosts_resting=90), requests=32, are_used_up=True)
LOST = LookupsNow(10.0, silent=20, last=20)

EXAMPLES = {
    Bound.NETWORK_DOWN: replace(RESTING, is_network_down=True),
    Bound.NAME_SERVER: replace(CALM, hosts=hosts(hosts_ready=9, hosts_unnamed=9), lookups=LOST),
    Bound.PARSERS: replace(RESTING, are_parsers_full=True),
    Bound.DISK: replace(RESTING, is_writer_full=True),
    Bound.SETTING: replace(RESTING, visits=100, requests=80),
    Bound.MACHINE: replace(CROWDED, are_at_most=True, is_by_setting=False),
    Bound.PROCESSOR: replace(RESTING, late_seconds=0.2),
    Bound.LINK: replace(CROWDED, congestion=Congestion.LINK),
    Bound.LOSS: replace(CROWDED, congestion=Congestion.LOSS),
    Bound.GROWING: CROWDED,
    Bound.NAMES: replace(CALM, hosts=hosts(hosts_ready=900, hosts_unnamed=900, hosts_resting=90)),
    Bound.CONNECTING: replace(CALM, phases=RequestCounts(connecting=5, handshaking=5, awaiting_first_byte=9)),
    Bound.SERVERS: replace(CALM, phases=RequestCounts(connecting=5, awaiting_first_byte=9)),
    Bound.BODIES: replace(CALM, phases=RequestCounts(awaiting_first_byte=2, reading=9)),
    Bound.POLITENESS: RESTING,
    Bound.ADDRESSES: replace(CALM, hosts=hosts(hosts_ready=90, hosts_resting=10)),
    Bound.FAILURES: replace(CALM, hosts=hosts(hosts_resting=4), are_hosts_failing=True),
    Bound.RETRIES: replace(CALM, hosts=hosts(waiting=12, retrying=12, hosts_resting=4)),
    Bound.NOTHING: replace(CALM, hosts=replace(NO_HOST, hosts=5)),
}


@pytest.mark.parametrize("bound", Bound)
def test_each_bound_is_found_when_it_is_the_one(bound: Bound) -> None:
    assert bound_of(EXAMPLES[bound]) is bound


@pytest.mark.parametrize("backlog, bound", [(9, Bound.PARSERS), (0, Bound.DISK)])
def test_a_crawl_whose_hosts_all_wait_for_their_last_page_is_bound_by_what_that_page_waits_for(
    backlog: int, bound: Bound
) -> None:
    sample = replace(CALM, hosts=hosts(hosts_busy=11), visits=75, requests=0, parser_backlog=backlog)
    assert bound_of(sample) is bound


@pytest.mark.parametrize("stranded", [0, 3])
def test_pages_that_wait_for_a_retry_while_their_hosts_could_be_visited_are_not_called_nothing(stranded: int) -> None:
    waiting = hosts(waiting=2 + stranded, stranded=stranded, retrying=2, hosts=5)
    assert bound_of(replace(CALM, visits=0, requests=0, hosts=waiting)) is Bound.RETRIES
    assert bound_of(replace(CALM, visits=0, requests=0, hosts=hosts(waiting=3, stranded=3))) is Bound.NOTHING


COUNT = st.integers(0, 200)
COUNTS = st.builds(FrontierCounts, *[COUNT] * len(fields(FrontierCounts)))
LOOKUPS = st.builds(LookupsNow, st.none() | st.floats(0, 10), *[st.integers(0, 20)] * (len(fields(LookupsNow)) - 1))
SAMPLES = st.builds(
    LoadSample,
    COUNTS,
    visits=COUNT,
    max_visits=st.integers(1, 200),
    requests=COUNT,
    places=COUNT,
    lookups=LOOKUPS,
    phases=st.builds(RequestCounts, *[COUNT] * len(fields(RequestCounts))),
    late_seconds=st.floats(0, 1),
    queueing_seconds=st.none() | st.floats(0, 1),
    congestion=st.none() | st.sampled_from(Congestion),
    lookups_under_way=COUNT,
    parser_backlog=COUNT,
    are_used_up=st.booleans(),
    are_at_most=st.booleans(),
    is_by_setting=st.booleans(),
    are_parsers_full=st.booleans(),
    is_writer_full=st.booleans(),
    is_network_down=st.booleans(),
    names_alone_fail=st.booleans(),
    are_hosts_failing=st.booleans(),
)


@pytest.mark.slow
@given(SAMPLES)
def test_any_figures_have_exactly_one_bound(sample: LoadSample) -> None:
    assert bound_of(sample) in EXAMPLES


@pytest.mark.slow
@given(SAMPLES)
def test_a_crawl_whose_network_is_down_is_bound_by_nothing_else(sample: LoadSample) -> None:
    said = bound_of(replace(sample, is_network_down=True))
    assert said in (Bound.NETWORK_DOWN, Bound.NAME_SERVER)


@pytest.mark.slow
@given(SAMPLES)
def test_hosts_that_can_be_visited_are_held_back_by_places_only_if_these_are_used_up(sample: LoadSample) -> None:
    said = bound_of(replace(sample, are_used_up=False))
    assert said not in (Bound.LOSS, Bound.GROWING, Bound.MACHINE)


def test_some_lookups_without_a_reply_among_others_are_no_reason_to_doubt_the_name_server() -> None:
    sample = replace(RESTING, lookups=LookupsNow(10.0, silent=19, last=20))
    assert bound_of(sample) is Bound.POLITENESS
    assert bound_of(replace(RESTING, lookups=LookupsNow(10.0, silent=2, last=2))) is Bound.POLITENESS


def test_a_network_that_is_down_for_names_alone_is_a_name_server_that_is_gone() -> None:
    sample = replace(RESTING, is_network_down=True, names_alone_fail=True, lookups=LookupsNow(10.0, silent=2, last=2))
    assert bound_of(sample) is Bound.NAME_SERVER
    assert bound_of(replace(sample, names_alone_fail=False)) is Bound.NETWORK_DOWN


def test_places_that_a_late_event_loop_took_are_missed_because_of_the_processor() -> None:
    assert bound_of(replace(CROWDED, congestion=Congestion.LATENESS)) is Bound.PROCESSOR


def test_all_places_are_taken_by_the_setting_if_it_allows_no_more() -> None:
    assert bound_of(replace(CROWDED, are_at_most=True)) is Bound.SETTING


def test_visits_that_are_answered_and_not_written_yet_wait_for_parsers_or_the_disk() -> None:
    full = replace(RESTING, visits=1000, max_visits=1000, requests=100)
    assert bound_of(replace(full, parser_backlog=800)) is Bound.PARSERS
    assert bound_of(replace(full, parser_backlog=30)) is Bound.DISK


def test_few_visits_wait_to_be_written_since_the_setting_makes_transactions_small() -> None:
    assert bound_of(replace(RESTING, visits=10, max_visits=10, requests=1)) is Bound.SETTING


def test_answers_are_slow_because_of_our_link_while_packets_queue_in_it() -> None:
    assert bound_of(replace(EXAMPLES[Bound.BODIES], queueing_seconds=0.2)) is Bound.LINK


# ---------------------------------------------------------------- over time


def test_a_moment_of_something_else_changes_nothing_and_some_seconds_of_it_do() -> None:
    watch = LimitWatch()
    assert watch.now() is None
    told = []
    for half_second, sample in enumerate([RESTING] * 10 + [CROWDED] * 2 + [RESTING] * 6 + [CROWDED] * 8):
        watch.sampled(sample, half_second / 2)
        limits = watch.now()
        assert limits is not None
        told.append(limits.bound)
    assert set(told[:-8]) == {Bound.POLITENESS}
    assert told[-1] is Bound.GROWING


def test_a_network_that_is_down_shows_at_once() -> None:
    watch = LimitWatch()
    for half_second, bound in enumerate([Bound.POLITENESS] * 10 + [Bound.NAME_SERVER]):
        watch.sampled(EXAMPLES[bound], half_second / 2)
    limits = watch.now()
    assert limits is not None
    assert limits.bound is Bound.NAME_SERVER


def test_figures_are_those_of_the_moment_at_which_the_bound_was_seen() -> None:
    watch = LimitWatch()
    for sample in (EXAMPLES[Bound.NAMES], EXAMPLES[Bound.NAMES], RESTING):
        watch.sampled(sample, 1.0)
    limits = watch.now()
    assert limits is not None
    assert (limits.bound, limits.hosts.hosts_unnamed) == (Bound.NAMES, 900)


@pytest.mark.slow
@given(st.lists(st.tuples(SAMPLES, st.floats(0, 10)), min_size=1, max_size=40))
def test_the_time_of_a_run_is_shared_out_among_what_bound_it(steps: list[tuple[LoadSample, float]]) -> None:
    watch, now = LimitWatch(), 0.0
    for sample, seconds in steps:
        now += seconds
        watch.sampled(sample, now)
    limits = watch.now()
    assert limits is not None
    passed = sum(seconds for _, seconds in steps[1:])
    assert sum(limits.seconds.values()) == pytest.approx(passed, abs=0.05 * len(Bound))
    if limits.mostly is not None:
        assert 0 < limits.mostly[1] <= 1


def test_shards_together_are_bound_by_what_bounds_most_of_them() -> None:
    each = []
    for bound in (Bound.NAMES, Bound.POLITENESS, Bound.POLITENESS):
        watch = LimitWatch()
        for second in (1.0, 3.0):
            watch.sampled(EXAMPLES[bound], second)
        limits = watch.now(closed_before=2)
        assert limits is not None
        each.append(limits)
    together = summed(each)
    assert together is not None
    assert together.bound is Bound.POLITENESS
    assert together.seconds == {"names": 2.0, "politeness": 4.0}
    assert (together.places, together.closed_before, together.hosts.hosts_resting) == (96, 6, 270)
    assert summed([]) is None
