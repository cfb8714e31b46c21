"""A link that bodies share equally."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.ideal_link import SharedLink

BODIES = st.lists(st.tuples(st.floats(0, 50), st.floats(1, 1_000)), min_size=1, max_size=20)


def ends(bodies: list[tuple[float, float]], rate: float = 100.0) -> dict[int, float]:
    """When each body, given by its beginning and size, has passed."""
    link, passed = SharedLink(rate), dict[int, float]()

    def pass_until(until: float) -> None:
        while (end := link.next_end()) is not None and end <= until:
            passed[link.ended(end)] = end

    for body, (begin, size) in sorted(enumerate(bodies), key=lambda item: item[1]):
        pass_until(begin)
        link.begin(body, size, begin)
    pass_until(float("inf"))
    return passed


def test_a_body_alone_has_all_of_the_link() -> None:
    assert ends([(1.0, 200.0)]) == {0: pytest.approx(3.0)}
    assert SharedLink(1.0).next_end() is None


def test_two_bodies_have_half_of_it_each() -> None:
    assert ends([(0.0, 100.0), (0.0, 300.0)]) == {0: pytest.approx(2.0), 1: pytest.approx(4.0)}
    assert ends([(0.0, 100.0), (0.5, 100.0)]) == {0: pytest.approx(1.5), 1: pytest.approx(2.0)}


@given(BODIES)
def test_all_pass_none_sooner_than_alone_and_none_later_than_after_all_others(
    bodies: list[tuple[float, float]],
) -> None:
    passed = ends(bodies)
    assert passed.keys() == set(range(len(bodies)))
    last = max(begin for begin, _ in bodies) + sum(size for _, size in bodies) / 100
    for body, (begin, size) in enumerate(bodies):
        assert begin + size / 100 - 1e-6 <= passed[body] <= last + 1e-6


@given(st.lists(st.floats(1, 1_000), min_size=1, max_size=20))
def test_a_link_that_is_never_idle_is_used_whole(sizes: list[float]) -> None:
    assert max(ends([(0.0, size) for size in sizes]).values()) == pytest.approx(sum(sizes) / 100)
