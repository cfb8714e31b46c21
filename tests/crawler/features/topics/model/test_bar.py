"""The bar lies where the pages of a web that are meant begin."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.features.topics.model.bar import bar_at, estimated_share
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from tests.support.topics import GARDEN, page_about


def web(share: float, apart: float, *, pages: int = 2_000) -> np.ndarray:
    """Scores of a web: other pages are skewed, as those of real webs are."""
    rng = np.random.default_rng(1)
    about = int(share * pages)
    return np.concatenate((rng.normal(apart, 1.5, about), rng.gamma(4, 1.0, pages - about) - 12))


@pytest.mark.parametrize("share", [0.05, 0.08, 0.2])
def test_the_share_of_pages_that_stand_out_is_found(share: float) -> None:
    assert estimated_share(web(share, 8), 0.05) == pytest.approx(share, rel=0.35)


def test_where_none_stands_out_a_few_are_called_relevant() -> None:
    assert 0 < estimated_share(web(0, 0), 0.05) < 0.15


def test_scores_that_are_all_alike_have_a_bar() -> None:
    alike = np.full(300, -2.9)
    bar = bar_at(alike, estimated_share(alike, 0.05))
    assert np.isfinite(bar.moved(alike)).all()


@given(st.lists(st.integers(-300, 300), min_size=1, max_size=50, unique=True), st.floats(0.001, 0.999))
def test_the_share_that_was_asked_for_is_above_the_bar(scores: list[int], share: float) -> None:
    log_odds = np.array(scores) / 10
    bar = bar_at(log_odds, share)
    above = int((bar.moved(log_odds) >= 0).sum())
    assert above == max(round(share * len(scores)), 1)
    assert bar.share == above / len(scores)


def test_a_model_with_a_bar_judges_as_the_bar_moves_log_odds() -> None:
    lot, rng = random.Random(1), np.random.default_rng(1)
    page = page_about(GARDEN, lot)
    weights = np.zeros(131_072, np.float32)
    weights[page.buckets] = rng.normal(0, 1, len(page.buckets))
    model = TopicModel(weights, np.ones(131_072, np.float32), -1.0, 0.05)
    bar = bar_at(np.array([-1.0, -0.9, -1.1, -1.05]), 0.25)
    assert bar.factor > 1
    expected = bar.moved(np.array([model.log_odds(page)]))[0]
    assert bar.on(model).log_odds(page) == pytest.approx(expected, abs=1e-3)
