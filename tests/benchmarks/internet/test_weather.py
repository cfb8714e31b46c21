"""Drawing the worlds of the box."""

from __future__ import annotations

import ipaddress
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.link import Fate, fates_of
from benchmarks.internet.network import MACHINES_V4, MACHINES_V6
from benchmarks.internet.weather import WEATHERS, draw_world
from benchmarks.internet.world import NameKind, Quirk, TlsKind

UNREACHABLE = {Quirk.DOWN, Quirk.BLACK_HOLE}


@pytest.mark.slow
@pytest.mark.parametrize("weather", WEATHERS)
def test_a_world_is_the_same_for_the_same_seed_and_another_for_another(weather: str) -> None:
    one, same, other = (draw_world(seed, hosts=200, machines=50, weather=weather) for seed in (1, 1, 2))
    assert one == same
    assert one.hosts != other.hosts


@pytest.mark.slow
@given(st.sampled_from(sorted(WEATHERS)), st.integers(1, 300), st.integers(3, 100), st.integers(0, 5))
def test_each_machine_has_hosts_and_unreachable_ones_share_none(
    weather: str, hosts: int, machines: int, seed: int
) -> None:
    world = draw_world(seed, hosts=hosts, machines=machines, weather=weather)
    assert len(world.hosts) == hosts
    assert {host.machine for host in world.hosts} == set(range(len(world.machines)))
    fates = fates_of(world)
    for host in world.hosts:
        assert (host.quirk in UNREACHABLE) == (fates[host.machine] is not Fate.ARRIVES)


def test_machines_have_addresses_of_their_own_which_belong_to_the_web_side() -> None:
    world = draw_world(3, hosts=2_000, machines=1_000, weather="fair")
    v4 = [ipaddress.ip_address(machine.v4) for machine in world.machines]
    v6 = [ipaddress.ip_address(machine.v6) for machine in world.machines if machine.v6]
    assert len(set(v4)) == 1_000
    assert all(address in ipaddress.ip_network(MACHINES_V4) for address in v4)
    assert len(set(v6)) == len(v6) == 380
    assert all(address in ipaddress.ip_network(MACHINES_V6) for address in v6)


def test_nothing_takes_time_in_calm_weather() -> None:
    world = draw_world(1, hosts=100, machines=20, weather="calm")
    assert {host.resolved.seconds for host in world.hosts} == {0.0}
    assert {host.first_byte_seconds for host in world.hosts} == {0.0}
    assert {host.resolved.kind for host in world.hosts} == {NameKind.ANSWERED}
    assert {machine.path.rtt_seconds + machine.path.loss for machine in world.machines} == {0.0}


@pytest.mark.slow
def test_fair_latencies_keep_within_their_bounds() -> None:
    world = draw_world(1, hosts=2_000, machines=500, weather="fair")
    assert all(0.02 <= host.resolved.seconds <= 0.5 for host in world.hosts)
    assert all(0.005 <= machine.path.rtt_seconds <= 0.4 for machine in world.machines)


@pytest.mark.parametrize("weather", ["names", "worst"])
def test_every_kind_of_name_occurs_in_a_small_world(weather: str) -> None:
    world = draw_world(1, hosts=200, machines=50, weather=weather)
    assert {host.resolved.kind for host in world.hosts} == set(NameKind)
    assert any(host.resolved.moves for host in world.hosts)
    assert any(host.resolved.cnames for host in world.hosts)


def test_three_in_a_hundred_names_are_dead_and_one_is_silent() -> None:
    kinds = Counter(host.resolved.kind for host in draw_world(1, hosts=10_000, machines=100, weather="names").hosts)
    assert kinds[NameKind.NXDOMAIN] + kinds[NameKind.SERVFAIL] + kinds[NameKind.LAME] == 300
    assert kinds[NameKind.SILENT] == 100


@pytest.mark.parametrize("weather", ["filters", "worst"])
def test_every_quirk_occurs_in_a_small_world(weather: str) -> None:
    assert {host.quirk for host in draw_world(1, hosts=200, machines=50, weather=weather).hosts} == set(Quirk)


def test_every_kind_of_tls_occurs_in_a_small_world() -> None:
    world = draw_world(1, hosts=200, machines=50, weather="tls")
    assert {host.tls for host in world.hosts} == set(TlsKind) - {TlsKind.NONE}


def test_the_share_of_https_can_be_chosen() -> None:
    world = draw_world(1, hosts=100, machines=10, weather="fair", https=0.3)
    assert Counter(host.tls for host in world.hosts) == {TlsKind.GOOD: 30, TlsKind.NONE: 70}


def test_a_family_is_broken_on_all_machines_that_have_it_when_v6_is_broken() -> None:
    machines = draw_world(1, hosts=100, machines=50, weather="v6-broken").machines
    assert any(machine.v6 for machine in machines)
    assert not any(machine.v6_works for machine in machines if machine.v6)


def test_an_unknown_weather_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no weather 'hail'; there are calm, fair"):
        draw_world(1, hosts=1, machines=1, weather="hail")


def test_too_few_machines_for_hosts_that_must_not_share_one_are_refused() -> None:
    with pytest.raises(ValueError, match="2 machines are too few"):
        draw_world(1, hosts=200, machines=2, weather="filters")
