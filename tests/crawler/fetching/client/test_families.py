"""A family of addresses that keeps losing is tried last, for a while."""

from __future__ import annotations

from dataclasses import dataclass
from socket import AF_INET, AF_INET6

from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.client.families import FamilyPreference


@dataclass(frozen=True, slots=True)
class Address:
    family: int


@dataclass(slots=True)
class Clock:
    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


BOTH = [Address(AF_INET6), Address(AF_INET), Address(AF_INET6)]
IPV4_FIRST = [BOTH[1], BOTH[0], BOTH[2]]


def broken_ipv6(clock: Clock, hosts: int = 3) -> FamilyPreference:
    families = FamilyPreference(clock)
    for host in range(hosts):
        families.lost(AF_INET6, f"http://h{host}.test")
        families.won(AF_INET)
    return families


def test_addresses_are_tried_as_the_name_server_gave_them() -> None:
    assert FamilyPreference(Clock()).in_order(BOTH) == BOTH
    assert broken_ipv6(Clock(), hosts=2).in_order(BOTH) == BOTH


def test_a_family_that_loses_at_three_hosts_is_tried_last() -> None:
    assert broken_ipv6(Clock()).in_order(BOTH) == IPV4_FIRST


def test_one_host_with_a_wrong_address_is_not_the_network() -> None:
    families = FamilyPreference(Clock())
    for _ in range(10):
        families.lost(AF_INET6, "http://broken.test")
    assert families.in_order(BOTH) == BOTH


def test_a_family_that_wins_in_between_is_not_broken() -> None:
    families = broken_ipv6(Clock(), hosts=2)
    families.won(AF_INET6)
    families.lost(AF_INET6, "http://another.test")
    assert families.in_order(BOTH) == BOTH


def test_after_five_minutes_it_is_tried_again_and_one_loss_is_enough() -> None:
    clock = Clock()
    families = broken_ipv6(clock)
    clock.seconds = 300.0
    assert families.in_order(BOTH) == BOTH
    families.lost(AF_INET6, "http://h2.test")
    assert families.in_order(BOTH) == IPV4_FIRST


def test_one_win_takes_it_all_back() -> None:
    families = broken_ipv6(Clock())
    families.won(AF_INET6)
    assert families.in_order(BOTH) == BOTH


EVENTS = st.lists(
    st.tuples(st.sampled_from([AF_INET, AF_INET6]), st.booleans(), st.integers(0, 5), st.floats(0.0, 600.0))
)


@given(EVENTS)
def test_no_address_is_ever_left_out_and_every_state_passes(events: list[tuple[int, bool, int, float]]) -> None:
    clock = Clock()
    families = FamilyPreference(clock)
    for family, has_won, host, pause in events:
        clock.seconds += pause
        if has_won:
            families.won(family)
        else:
            families.lost(family, f"http://h{host}.test")
        assert sorted(each.family for each in families.in_order(BOTH)) == sorted(each.family for each in BOTH)
    clock.seconds += 300.0
    assert families.in_order(BOTH) == BOTH
