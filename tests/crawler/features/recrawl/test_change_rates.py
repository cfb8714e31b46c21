"""Change rates learnt from visits are those that a search for the greatest likelihood finds."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.recrawl.change_evidence import ChangeEvidence
from hinterland.crawler.features.recrawl.change_rates import GammaPrior, learnt_prior, learnt_rates
from hinterland.storage.values.times import DAY

NO_PRIOR = np.zeros(1)


def found_by_search(intervals: list[float], changed: list[bool], shape: float = 0.0, prior: float = 0.0) -> float:
    """Where the density of ln λ is largest: a fine grid, then a finer one around the best."""
    low, high = np.log(1e-12), np.log(10.0)
    for _ in range(4):
        logs = np.linspace(low, high, 2001)
        rates = np.exp(logs)
        density = shape * logs - prior * rates
        for interval, is_changed in zip(intervals, changed, strict=True):
            density += np.log(-np.expm1(-rates * interval)) if is_changed else -rates * interval
        best = int(density.argmax())
        low, high = logs[max(best - 1, 0)], logs[min(best + 1, len(logs) - 1)]
    return float(np.exp((low + high) / 2))


def evidence_of(intervals: list[float], changed: list[bool]) -> ChangeEvidence:
    evidence = ChangeEvidence(1)
    for interval, is_changed in zip(intervals, changed, strict=True):
        (evidence.changed if is_changed else evidence.unchanged)(0, interval)
    return evidence


def test_with_intervals_of_one_length_the_rate_is_that_of_the_greatest_likelihood() -> None:
    for seen in range(1, 10):
        changed = [visit < seen for visit in range(10)]
        rate = learnt_rates(evidence_of([DAY] * 10, changed), 0.0, NO_PRIOR)[0][0]
        assert rate == pytest.approx(-np.log(1 - seen / 10) / DAY, rel=0.01)  # in closed form


@pytest.mark.parametrize("seed", range(20))
def test_with_irregular_intervals_the_rate_is_close_to_that_of_the_greatest_likelihood(seed: int) -> None:
    draw = np.random.default_rng(seed)
    truth = 1 / (DAY * 10 ** draw.uniform(-1, 2))
    intervals = (10 ** draw.uniform(-0.7, 0.7, 40) / truth).tolist()
    changed = [bool(draw.random() < -np.expm1(-truth * interval)) for interval in intervals]
    rate = learnt_rates(evidence_of(intervals, changed), 0.0, NO_PRIOR)[0][0]
    assert rate == pytest.approx(found_by_search(intervals, changed), rel=0.1)
    with_prior = learnt_rates(evidence_of(intervals, changed), 1.5, np.array([20 * DAY]))[0][0]
    assert with_prior == pytest.approx(found_by_search(intervals, changed, 1.5, 20 * DAY), rel=0.1)


def test_two_lengths_of_intervals_are_distinguished_as_if_each_was_kept() -> None:
    intervals, changed = [DAY] * 4 + [300 * DAY] * 4, [True] * 2 + [False] * 2 + [True] * 2 + [False] * 2
    rate = learnt_rates(evidence_of(intervals, changed), 0.0, NO_PRIOR)[0][0]
    assert rate == pytest.approx(found_by_search(intervals, changed), rel=0.03)


def test_dated_changes_alone_make_the_rate_changes_by_time() -> None:
    evidence = ChangeEvidence(1)
    evidence.changed_ago(0, 3 * DAY)
    evidence.changed_ago(0, DAY)
    evidence.unchanged(0, 6 * DAY)
    rates, worth = learnt_rates(evidence, 0.0, NO_PRIOR)
    assert rates[0] == pytest.approx(2 / (10 * DAY))
    assert worth[0] == pytest.approx(2)


def test_without_a_prior_a_page_that_never_changed_has_rate_zero_and_one_that_always_did_no_bound() -> None:
    rates, _ = learnt_rates(evidence_of([DAY], [False]), 0.0, NO_PRIOR)
    assert rates[0] == 0
    rates, _ = learnt_rates(evidence_of([DAY], [True]), 0.0, NO_PRIOR)
    assert rates[0] == np.inf


def test_a_page_without_visits_has_the_mean_rate_of_its_host() -> None:
    prior = GammaPrior(2.0, 20 * DAY, np.array([10 * DAY, 40 * DAY]))
    hosts = np.array([0, 1, 7], np.int32)
    rates, worth = learnt_rates(ChangeEvidence(3), prior.shape, prior.of_hosts(hosts))
    assert rates * DAY == pytest.approx([1 / 5, 1 / 20, 1 / 10])
    assert worth == pytest.approx([2, 2, 2])


def drawn_site(pages: int, seed: int) -> tuple[ChangeEvidence, np.ndarray, np.ndarray]:
    """Two hosts, whose pages have mean rates of 1/20 and 1/200 a day and shape 2: what 8 visits to each showed."""
    draw = np.random.default_rng(seed)
    hosts = (np.arange(pages) % 2).astype(np.int32)
    truth = draw.gamma(2.0, np.where(hosts == 0, 1 / 20, 1 / 200) / 2) / DAY
    evidence = ChangeEvidence(pages)
    for _ in range(8):
        intervals = draw.uniform(5, 60, pages) * DAY
        for page, is_changed in enumerate(draw.random(pages) < -np.expm1(-truth * intervals)):
            (evidence.changed if is_changed else evidence.unchanged)(page, intervals[page])
    return evidence, hosts, truth


def test_the_prior_of_each_host_is_learnt_and_brings_the_rates_nearer_to_the_truth() -> None:
    evidence, hosts, truth = drawn_site(800, seed=1)
    prior = learnt_prior(evidence, hosts)
    means = prior.shape / prior.rates * DAY
    assert means == pytest.approx([1 / 20, 1 / 200], rel=0.25)
    assert 1.2 < prior.shape < 3.5
    shared = learnt_rates(evidence, prior.shape, prior.of_hosts(hosts))[0]
    alone = learnt_rates(evidence, 0.05, np.full(800, 1.0))[0]
    assert np.abs(shared - truth).mean() < 0.9 * np.abs(alone - truth).mean()


def test_what_is_learnt_does_not_depend_on_how_pages_are_taken_together() -> None:
    evidence, hosts, _ = drawn_site(60, seed=2)
    prior = GammaPrior.uninformed()
    together = learnt_rates(evidence, prior.shape, prior.of_hosts(hosts))[0]
    for page in range(0, 60, 7):
        chosen = np.array([page])
        alone = learnt_rates(evidence.of(chosen), prior.shape, prior.of_hosts(hosts[chosen]))[0]
        assert alone[0] == pytest.approx(together[page], rel=1e-6)


def test_evidence_survives_as_columns_of_other_types() -> None:
    evidence, _, _ = drawn_site(20, seed=3)
    kept = {name: column.astype(np.float64) for name, column in evidence.columns().items()}
    again = ChangeEvidence.from_columns(kept)
    for name, column in evidence.columns().items():
        assert (getattr(again, name) == column).all()


def test_a_missing_column_is_named() -> None:
    columns = ChangeEvidence(1).columns()
    del columns["quiet"]
    with pytest.raises(ValueError, match="missing columns: quiet"):
        ChangeEvidence.from_columns(columns)
