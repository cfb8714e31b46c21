"""The ideal schedule, in worlds small enough to be computed by hand, and what holds in all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.ideal import ideal_schedule, lives
from benchmarks.internet.manners import Politeness
from benchmarks.internet.web_robots import robots_of
from benchmarks.internet.world import Host, Link, Machine, Name, NameKind, Path, Quirk, TlsKind, World

PLAIN = Politeness(delay_seconds=1.0, delay_factor=0.0, address_delay_seconds=0.0, address_connections=0)
SEED = next(seed for seed in range(100) if all(robots_of(seed, index) is None for index in range(8)))
"""Of a world whose first hosts have no robots.txt."""


def world_of(*hosts: Host, rtt: float = 0.0, loss: float = 0.0, link: Link | None = None, machines: int = 1) -> World:
    path = Path(rtt_seconds=rtt, loss=loss)
    return World(SEED, [Machine(f"198.18.1.{n}", "", path) for n in range(machines)], list(hosts), link or Link())


def host(name: str = "a.example", machine: int = 0, **more: Any) -> Host:
    made = Host(name, machine, page_bytes=1_000)  # no page takes more than a window of ten segments
    return replace(made, **more)


def test_a_host_without_latency_is_visited_once_each_delay() -> None:
    schedule = ideal_schedule(world_of(host()), PLAIN, 10)
    assert schedule.pages == pytest.approx([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert schedule.reached == pytest.approx([1])
    assert schedule.rate(2.5, 8.5) == 1
    assert (schedule.pages_by(3.5), schedule.hosts_by(0.5), schedule.hosts_by(1.5)) == (3, 0, 1)


def test_name_and_connection_come_before_the_first_request_only() -> None:
    world = world_of(host(resolved=Name(seconds=0.5)), rtt=0.1)
    schedule = ideal_schedule(world, PLAIN, 5)
    # name 0.5, SYN 0.1, robots.txt 0.1; then each second and 0.1
    assert schedule.pages == pytest.approx([1.8, 2.9, 4.0])
    assert schedule.reached == pytest.approx([1.75])


@pytest.mark.parametrize("kind, round_trips", [(TlsKind.NONE, 2), (TlsKind.GOOD, 3), (TlsKind.OLD, 4)])
def test_tls_costs_a_round_trip_or_two(kind: TlsKind, round_trips: int) -> None:
    schedule = ideal_schedule(world_of(host(tls=kind), rtt=0.1), PLAIN, 3)
    assert schedule.pages[0] == pytest.approx(round_trips * 0.1 + 1 + 0.1)


def test_a_host_that_closes_its_connections_costs_a_new_one_each_time() -> None:
    schedule = ideal_schedule(world_of(host(quirk=Quirk.HTTP_1_0), rtt=0.1), PLAIN, 5)
    assert schedule.pages == pytest.approx([1.4, 2.6, 3.8])


def test_a_slow_host_rests_in_proportion() -> None:
    world = world_of(host(first_byte_seconds=0.5))
    schedule = ideal_schedule(world, replace(PLAIN, delay_factor=10), 20)
    assert schedule.pages == pytest.approx([6, 11.5, 17])


def test_hosts_of_one_address_come_one_after_the_other_and_only_some_at_once() -> None:
    hosts = [host(f"h{n}.example", first_byte_seconds=0.4) for n in range(4)]
    spaced = ideal_schedule(world_of(*hosts), replace(PLAIN, address_delay_seconds=1.0), 20)
    assert spaced.reached == pytest.approx([4.0, 5.0, 6.0, 7.0])
    limited = ideal_schedule(world_of(*hosts), replace(PLAIN, address_connections=1), 20)
    assert limited.rate(5, 20) == pytest.approx(2.5, rel=0.1)


def test_a_link_bounds_all_hosts_together() -> None:
    hosts = [host(f"h{n}.example", n, page_bytes=5_000) for n in range(8)]
    world = world_of(*hosts, machines=8, link=Link(down_bits=100_000))
    bounded = ideal_schedule(world, PLAIN, 60)
    assert 1 < bounded.rate(10, 60) < 3  # some 5,600 bytes a page
    assert ideal_schedule(world, PLAIN, 60, link_is_used=False).rate(10, 60) == pytest.approx(8, rel=0.05)


def test_a_computer_bounds_all_hosts_together() -> None:
    hosts = [host(f"h{n}.example", n) for n in range(8)]
    schedule = ideal_schedule(world_of(*hosts, machines=8), PLAIN, 60, pages_a_second=4)
    assert schedule.rate(10, 60) == pytest.approx(4, rel=0.05)


def test_a_finite_host_ends() -> None:
    assert len(ideal_schedule(world_of(host(pages=5)), PLAIN, 60).pages) == 5


@pytest.mark.parametrize(
    "dead",
    [
        *(host(resolved=Name(kind)) for kind in (NameKind.NXDOMAIN, NameKind.SERVFAIL, NameKind.LAME, NameKind.SILENT)),
        *(host(quirk=quirk) for quirk in (Quirk.DOWN, Quirk.BLACK_HOLE)),
        *(host(tls=kind) for kind in (TlsKind.EXPIRED, TlsKind.WRONG_NAME, TlsKind.UNKNOWN_CA)),
    ],
    ids=lambda each: f"{each.resolved.kind} {each.quirk} {each.tls}",
)
def test_what_cannot_be_reached_is_not_reached(dead: Host) -> None:
    world = world_of(dead, host("b.example"))
    assert [lives(world, each) for each in world.hosts] == [False, True]
    assert len(ideal_schedule(world, PLAIN, 10).reached) == 1
    assert not ideal_schedule(replace(world, resolver_works=False), PLAIN, 10).reached


@pytest.mark.parametrize("quirk", [quirk for quirk in Quirk if quirk not in (Quirk.DOWN, Quirk.BLACK_HOLE)])
def test_a_host_with_a_quirk_is_reached_and_gives_no_more_than_one_without(quirk: Quirk) -> None:
    usual = ideal_schedule(world_of(host(), rtt=0.05), PLAIN, 60)
    odd = ideal_schedule(world_of(host(quirk=quirk), rtt=0.05), PLAIN, 60)
    assert len(odd.reached) == 1
    assert len(odd.pages) <= len(usual.pages)
    assert (len(odd.pages) == 0) == (quirk is Quirk.COOKIE_GATE)


@pytest.mark.slow
@given(st.floats(0, 0.4), st.floats(0, 0.05), st.integers(1, 12), st.floats(0, 2))
def test_more_latency_and_loss_never_bring_more_pages(rtt: float, loss: float, count: int, thought: float) -> None:
    hosts = [host(f"h{n}.example", n % 3, first_byte_seconds=thought) for n in range(count)]
    politeness = Politeness()
    calm = ideal_schedule(world_of(*hosts, machines=3), politeness, 60)
    foul = ideal_schedule(world_of(*hosts, machines=3, rtt=rtt, loss=loss), politeness, 60)
    assert len(foul.pages) <= len(calm.pages)
    assert foul.pages == sorted(foul.pages)
    assert len(foul.reached) <= count
