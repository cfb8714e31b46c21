from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.topics.links.relative_relevance import RelativeRelevance


def test_a_first_page_is_worth_half_if_it_is_as_likely_as_not() -> None:
    assert RelativeRelevance().of(0.5) == 0.5


def test_the_best_pages_count_where_a_timid_classifier_calls_none_likely() -> None:
    relative = RelativeRelevance()
    for _ in range(50):
        relative.of(0.001)
    assert relative.of(0.05) > 0.5 > relative.of(0.001)


def test_pages_of_a_like_template_do_not_count_once_better_ones_were_seen() -> None:
    relative = RelativeRelevance()
    for _ in range(50):
        relative.of(1 - 1e-12)
    assert relative.of(0.98) < 0.05
    assert relative.of(1 - 1e-12) > 0.9


def test_what_is_sought_stays_worth_everything_and_all_else_nothing_however_much_of_it_was_found() -> None:
    relative = RelativeRelevance()
    for _ in range(500):
        assert relative.of(1.0) > 0.99
    for _ in range(500):
        assert relative.of(0.0) < 0.01


@given(st.lists(st.floats(0, 1), max_size=60), st.floats(0, 1), st.floats(0, 1))
def test_the_likelier_page_is_never_worth_less(before: list[float], one: float, other: float) -> None:
    def worth(relevance: float) -> float:
        relative = RelativeRelevance()
        for each in before:
            relative.of(each)
        return relative.of(relevance)

    assert worth(min(one, other)) <= worth(max(one, other))


@pytest.mark.parametrize("relevance", [0.0, 1.0])
def test_certainty_is_no_infinity(relevance: float) -> None:
    assert 0 <= RelativeRelevance().of(relevance) <= 1
