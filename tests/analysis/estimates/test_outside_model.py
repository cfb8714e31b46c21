"""The outside model against slow sums over explicit link distributions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates import similarity_weights
from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.analysis.estimates.outside_model import outside_model
from hinterland.analysis.estimates.similarity import Similarity, predicted_rates
from hinterland.analysis.estimates.similarity_weights import (
    in_other_classes,
    interpolation_weights,
    prediction_likelihoods,
)
from hinterland.analysis.link_log import LinkLog
from hinterland.analysis.pagerank import pagerank
from hinterland.analysis.sampling import is_sampled, sampling_numbers

pytestmark = pytest.mark.slow

Matrix = NDArray[np.float64]


def random_crawl(seed: int, pages: int = 40, crawled: int = 24, local: int = 8) -> CrawledGraph:
    """Pages 0 to local - 1 are local and crawled first; then others, in random order. Some lead nowhere. Odd seeds:
    most of the others were drawn at random."""
    rng = np.random.default_rng(seed)
    log = LinkLog()
    others = rng.permutation(np.arange(local, pages))
    if seed % 2:
        numbers = sampling_numbers(others.astype(np.int32)) + (others % 4 == 0)
        others = others[np.argsort(numbers)]
    others = rng.permutation(others[: crawled - local])
    for page in [*range(local), *others.tolist()]:
        count = 0 if rng.random() < 0.2 else int(rng.integers(1, 7))
        log.append(page, rng.choice(pages, count, replace=False).astype(np.int32))
    return log.snapshot(np.arange(pages) < local, rng.integers(0, 3, pages).astype(np.int32))


def link_distributions(crawled: CrawledGraph) -> Matrix:
    """Row p: where the links of page p lead; the last column is for leading nowhere."""
    n = crawled.page_count
    rows = np.zeros((n, n + 1))
    for page in crawled.order.tolist():
        successors = crawled.links.successors(page)
        rows[page, successors] = 1 / max(len(successors), 1)
        rows[page, n] = not len(successors)
    return rows


def models_of(crawled: CrawledGraph) -> list[int]:
    return [page for page in crawled.crawled.tolist() if not crawled.is_local[page]]


def importance(crawled: CrawledGraph) -> Matrix:
    """1, but a fifth of it where others were drawn at random."""
    outside = [page for page in crawled.order.tolist() if not crawled.is_local[page]]
    sample = is_sampled(np.array(outside, np.int32)).tolist()
    weights = np.zeros(crawled.page_count)
    for page, in_sample in zip(outside, sample, strict=True):
        weights[page] = 1.0 if in_sample or not any(sample) else 0.2
    return weights


def predictions(crawled: CrawledGraph, page: int, classes: NDArray[np.uint8], weighted: bool) -> list[Matrix | None]:
    """What each kind predicts of a page's links, None if it has nothing to say."""
    rows, n = link_distributions(crawled), crawled.page_count
    others = [model for model in models_of(crawled) if model != page]
    important = importance(crawled) if weighted else np.ones(n)

    def mean(models: list[int]) -> Matrix | None:
        return np.average(rows[models], axis=0, weights=important[models]) if models else None

    of_class = [model for model in others if classes[model] == classes[page]]
    of_host = [model for model in of_class if crawled.hosts[model] == crawled.hosts[page]]
    families = [
        [model for model in crawled.links.successors(parent).tolist() if model in others]
        for parent in crawled.links.transposed.successors(page).tolist()
    ]
    means = [rows[family].mean(axis=0) for family in families if family]
    same_host = [model for model in others if crawled.hosts[model] == crawled.hosts[page]]
    before = [model for model in same_host if model < page][-1:]
    after = [model for model in same_host if model > page][:1]
    near = rows[before + after].mean(axis=0) if before + after else None
    return [mean(of_class), mean(of_host), np.mean(means, axis=0) if means else None, near]


def mixed(crawled: CrawledGraph, page: int, classes: NDArray[np.uint8], weights: Matrix) -> Matrix | None:
    told = [(w, p) for w, p in zip(weights, predictions(crawled, page, classes, True), strict=True) if p is not None]
    return sum((w * p for w, p in told), np.zeros(crawled.page_count + 1)) / sum(w for w, _ in told) if told else None


def similarity_of(crawled: CrawledGraph, classes: NDArray[np.uint8]) -> Similarity:
    fifths = (5 * importance(crawled)).round().astype(np.uint8)
    return Similarity.of(crawled, crawled.is_crawled & ~crawled.is_local, fifths, classes)


def some_classes(crawled: CrawledGraph, seed: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 3, crawled.page_count).astype(np.uint8)


@pytest.mark.parametrize("seed", range(8))
def test_each_kind_predicts_the_links_of_a_model_from_the_other_models(seed: int) -> None:
    crawled = random_crawl(seed)
    classes = some_classes(crawled, seed)
    found = prediction_likelihoods(similarity_of(crawled, classes))
    expected, weights = [], []
    for page in models_of(crawled):
        targets = crawled.links.successors(page).tolist() or [crawled.page_count]
        told = predictions(crawled, page, classes, weighted=False)
        expected += [[0.0 if each is None else each[target] for each in told] for target in targets]
        weights += [importance(crawled)[page] / len(targets)] * len(targets)
    np.testing.assert_allclose(found.values, expected, atol=1e-12)
    np.testing.assert_allclose(found.link_weights, weights, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_a_predicted_rate_is_that_of_the_predicted_links(seed: int) -> None:
    crawled = random_crawl(seed)
    classes = some_classes(crawled, seed)
    weights = np.array([0.1, 0.2, 0.3, 0.4])
    rates = link_distributions(crawled)[:, :-1][:, crawled.is_local].sum(axis=1)
    similarity = similarity_of(crawled, classes)
    found = predicted_rates(similarity, weights, (rates * similarity.is_model)[crawled.crawled])
    for page in range(crawled.page_count):
        links = None if page in crawled.local else mixed(crawled, page, classes, weights)
        expected = 0.0 if links is None else links[:-1][crawled.is_local].sum()
        assert found[page] == pytest.approx(expected, abs=1e-12)


def test_some_of_these_crawls_have_a_sample_and_some_have_none() -> None:
    found = {bool(is_sampled(np.array(models_of(random_crawl(seed)), np.int32)).any()) for seed in range(8)}
    assert found == {True, False}


@pytest.mark.parametrize("seed", range(8))
def test_ranks_are_those_of_a_walk_by_known_links_and_predicted_ones(seed: int) -> None:
    crawled, n = random_crawl(seed), 40
    model = outside_model(crawled)
    classes = np.searchsorted(np.geomspace(1e-5, 0.9, 40), model.return_probabilities).astype(np.uint8)
    rows = link_distributions(crawled)
    for page in np.flatnonzero(~crawled.is_crawled).tolist():
        links = mixed(crawled, page, classes, model.weights)
        rows[page] = np.eye(n + 1)[n] if links is None else links
    walk = 0.85 * (rows[:, :n] + rows[:, n:] / n) + 0.15 / n
    values, vectors = np.linalg.eig(walk.T)
    stationary = np.real(vectors[:, np.argmax(np.real(values))])
    np.testing.assert_allclose(model.ranks, stationary / stationary.sum(), atol=1e-7)


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("seed", range(4))
def test_ranks_are_as_near_to_those_as_requested(seed: int, tolerance: float) -> None:
    crawled = random_crawl(seed)
    exact, rough = outside_model(random_crawl(seed)).ranks, outside_model(crawled, tolerance=tolerance).ranks
    local, exact_local = rough[crawled.local], exact[crawled.local]
    assert np.abs(rough - exact).sum() <= tolerance
    assert np.abs(local / local.sum() - exact_local / exact_local.sum()).sum() <= tolerance
    assert rough.sum() == pytest.approx(1)


def test_what_was_chosen_says_less_than_what_was_drawn_at_random() -> None:
    """Of 2,000 pages on one host, 150 were chosen, which lead back, and 150 drawn, which link to each other."""
    pages, log = 2001, LinkLog()
    chosen = list(range(1, 151))
    drawn = sorted(range(151, pages), key=lambda page: float(sampling_numbers(np.array([page], np.int32))[0]))[:150]
    log.append(0, np.arange(1, pages, dtype=np.int32))
    for pair in zip(chosen, drawn, strict=True):
        for page in pair:
            log.append(page, np.array([0] if page in chosen else [drawn[page % 150]], np.int32))
    crawled = log.snapshot(np.arange(pages) < 1, np.zeros(pages, np.int32))
    probabilities = outside_model(crawled).return_probabilities
    frontier = ~crawled.is_crawled
    assert frontier.sum() == 1700
    assert 0.05 < probabilities[frontier].mean() < 0.3  # of all models, half lead back


def test_once_all_known_pages_are_crawled_the_model_is_pagerank() -> None:
    crawled = random_crawl(3, crawled=40)
    np.testing.assert_allclose(outside_model(crawled).ranks, pagerank(crawled.links), atol=1e-7)


def test_while_no_page_outside_is_crawled_the_frontier_leads_nowhere() -> None:
    crawled = random_crawl(4, crawled=8)
    model = outside_model(crawled)
    np.testing.assert_allclose(model.ranks, pagerank(crawled.links), atol=1e-7)
    assert not model.return_probabilities.any()


def test_frontier_pages_of_the_local_domain_lead_nowhere() -> None:
    log = LinkLog()
    for page, outlinks in ((0, [1, 2]), (2, [0])):
        log.append(page, np.array(outlinks, np.int32))
    crawled = log.snapshot(np.array([True, True, False]), np.zeros(3, np.int32))
    np.testing.assert_allclose(outside_model(crawled).ranks, pagerank(crawled.links), atol=1e-7)


def test_a_crawl_of_nothing_has_no_ranks() -> None:
    crawled = LinkLog().snapshot(np.empty(0, np.bool_), np.empty(0, np.int32))
    assert outside_model(crawled).ranks.shape == (0,)


def test_an_earlier_result_as_the_start_leads_to_the_same_ranks() -> None:
    crawled = random_crawl(5)
    again = LinkLog()
    for page in crawled.order.tolist():
        again.append(page, crawled.links.successors(page))
    same = again.snapshot(crawled.is_local, crawled.hosts)
    start = np.random.default_rng(0).random(30)
    np.testing.assert_allclose(outside_model(same, start=start).ranks, outside_model(crawled).ranks, atol=2e-7)


def test_policy_and_estimator_share_the_model_of_one_crawled_graph() -> None:
    crawled = random_crawl(6)
    for_order = outside_model(crawled, tolerance=1e-3)
    for_estimate = outside_model(crawled)
    assert for_estimate is not for_order
    assert outside_model(crawled) is for_estimate
    assert outside_model(crawled, tolerance=1e-3) is for_estimate
    assert outside_model(crawled, tolerance=1e-9, of_local_shares=False) is for_estimate


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3, 1e-5])
@pytest.mark.parametrize("seed", range(4))
def test_all_ranks_are_as_near_as_requested_unless_only_local_shares_count(seed: int, tolerance: float) -> None:
    exact = outside_model(random_crawl(seed)).ranks
    model = outside_model(random_crawl(seed), tolerance=tolerance, of_local_shares=False)
    assert np.abs(model.ranks - exact).sum() <= model.error_bounds.of_ranks <= tolerance


def test_in_other_classes_the_links_are_as_likely_as_if_they_had_always_been_in_these() -> None:
    crawled = random_crawl(2)
    before, after = (similarity_of(crawled, some_classes(crawled, seed)) for seed in (0, 1))
    again = in_other_classes(prediction_likelihoods(before), after)
    np.testing.assert_array_equal(again.values, prediction_likelihoods(after).values)


def test_the_weights_find_the_kind_that_predicts() -> None:
    """Two hosts; the pages of each link to one local page of their own, so only the host tells which."""
    log = LinkLog()
    for page in (0, 1):
        log.append(page, np.arange(2, 42, dtype=np.int32))
    for page in range(2, 42):
        log.append(page, np.array([page % 2], np.int32))
    hosts = np.array([2, 2, *(page % 2 for page in range(2, 42))], np.int32)
    crawled = log.snapshot(np.arange(42) < 2, hosts)
    found = interpolation_weights(prediction_likelihoods(similarity_of(crawled, np.zeros(42, np.uint8))))
    assert found.sum() == pytest.approx(1)
    kind_of_host = 1
    assert found[kind_of_host] + found[3] > 0.8  # neighbours are of the same host
    assert found[kind_of_host] > found[0]


def test_many_models_are_sampled_and_still_predicted_from_all(monkeypatch: pytest.MonkeyPatch) -> None:
    crawled = random_crawl(7)
    like = similarity_of(crawled, np.zeros(40, np.uint8))
    all_values = prediction_likelihoods(like).values
    monkeypatch.setattr(similarity_weights, "_SAMPLE", 8)
    sampled = prediction_likelihoods(like).values
    whole = [tuple(row) for row in all_values.round(12).tolist()]
    assert 0 < len(sampled) < len(all_values)
    assert all(tuple(row) in whole for row in sampled.round(12).tolist())


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimate_is_a_distribution_over_the_local_pages(name: str) -> None:
    crawled = random_crawl(8)
    estimate = ESTIMATORS[name]().estimate(crawled)
    assert estimate.shape == crawled.local.shape
    assert estimate.min() > 0
    assert estimate.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_starts_from_its_last_estimate_when_more_is_crawled(name: str) -> None:
    small, large = random_crawl(9, crawled=12), random_crawl(9)
    going_on = ESTIMATORS[name]()
    going_on.estimate(small)
    np.testing.assert_allclose(going_on.estimate(large), ESTIMATORS[name]().estimate(large), atol=1e-6)


def test_the_order_of_the_links_on_a_page_does_not_matter() -> None:
    """Parents of many links and pages of many inlinks are sampled, and a store forgets the order."""
    rng = np.random.default_rng(10)
    ranks = []
    for is_shuffled in (False, True):
        log = LinkLog()
        draws = np.random.default_rng(11)
        for page in range(150):
            outlinks = np.sort(draws.choice(300, int(draws.integers(1, 120)), replace=False)).astype(np.int32)
            log.append(page, rng.permutation(outlinks) if is_shuffled else outlinks)
        ranks.append(outside_model(log.snapshot(np.arange(300) < 40, np.arange(300, dtype=np.int32) % 7)).ranks)
    written, shuffled = ranks
    np.testing.assert_array_equal(written, shuffled)
