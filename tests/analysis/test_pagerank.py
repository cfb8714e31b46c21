"""PageRank against others: published figures, networkx, an eigenvector, scipy."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hinterland.analysis.estimates.estimators import CrawledGraphEstimator
from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import DanglingRule, DidNotConverge, pagerank
from hinterland.analysis.warm_start import WarmStart
from tests.support.shared_data import web_graph
from tests.support.webs import crawl_of, graph_of, links_of, random_web

RULES: tuple[DanglingRule, ...] = ("preference", "uniform")
FloatArray = NDArray[np.float64]


def google_matrix(graph: Graph, v: FloatArray, u: FloatArray, damping: float) -> FloatArray:
    """Column-stochastic, dense: what PageRank is the eigenvector of."""
    matrix = np.zeros((graph.page_count, graph.page_count))
    for page in range(graph.page_count):
        targets = graph.successors(page)
        if len(targets):
            matrix[targets, page] = damping / len(targets)
        else:
            matrix[:, page] = damping * u
    google: FloatArray = matrix + (1 - damping) * v[:, None]
    return google


def eigenvector(matrix: FloatArray) -> FloatArray:
    values, vectors = np.linalg.eig(matrix)
    vector = np.real(vectors[:, np.abs(values - 1).argmin()])
    ranks: FloatArray = vector / vector.sum()
    return ranks


def distance(x: FloatArray, y: FloatArray) -> float:
    return float(np.abs(x - y).sum())


def some_preference(n: int, seed: int) -> FloatArray:
    v = np.random.default_rng(seed).random(n)
    v[1::3] = 0.0
    preference: FloatArray = v / v.sum()
    return preference


def test_the_network_everybody_knows_has_the_ranks_that_are_drawn_into_it() -> None:
    # The illustration of the article "PageRank" in Wikipedia: eleven pages, A leads nowhere.
    rows = {"B": "C", "C": "B", "D": "AB", "E": "BDF", "F": "BE", "G": "BE", "H": "BE", "I": "BE", "J": "E", "K": "E"}
    names = "ABCDEFGHIJK"
    graph = graph_of({names.index(name): [names.index(each) for each in row] for name, row in rows.items()}, 11)
    per_cent = [3.3, 38.4, 34.3, 3.9, 8.1, 3.9, 1.6, 1.6, 1.6, 1.6, 1.6]
    assert np.round(100 * pagerank(graph), 1).tolist() == per_cent


@pytest.mark.slow
@pytest.mark.parametrize("dangling", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_eigenvector_of_the_google_matrix(seed: int, dangling: DanglingRule) -> None:
    graph = random_web(seed, 30 + 10 * seed)
    n = graph.page_count
    for v in (None, some_preference(n, seed)):
        given_v = np.full(n, 1 / n) if v is None else v
        u = given_v if dangling == "preference" else np.full(n, 1 / n)
        for damping in (0.5, 0.85, 0.99):
            ranks = pagerank(graph, damping=damping, preference=v, dangling=dangling, tolerance=1e-10)
            assert distance(ranks, eigenvector(google_matrix(graph, given_v, u, damping))) < 1.1e-10


@pytest.mark.parametrize("dangling", RULES)
@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_networkx(seed: int, dangling: DanglingRule) -> None:
    import networkx as nx

    graph = random_web(seed, 50)
    other = nx.DiGraph(list(links_of(graph)))
    other.add_nodes_from(range(50))
    v = some_preference(50, seed)
    preference = dict(enumerate(v.tolist()))
    spread = preference if dangling == "preference" else dict.fromkeys(range(50), 1 / 50)
    expected = nx.pagerank(other, 0.85, personalization=preference, dangling=spread, tol=1e-14, max_iter=1000)
    ranks = pagerank(graph, preference=v, dangling=dangling, tolerance=1e-11)
    assert distance(ranks, np.array([expected[page] for page in range(50)])) < 1e-10


@pytest.mark.slow
@given(seed=st.integers(0, 10_000), tolerance=st.sampled_from([1e-1, 1e-3, 1e-6, 1e-9]), rule=st.sampled_from(RULES))
def test_the_error_is_within_the_bound(seed: int, tolerance: float, rule: DanglingRule) -> None:
    graph = random_web(seed, 2 + seed % 40)
    n = graph.page_count
    v, start = some_preference(n, seed), np.random.default_rng(seed).random(n)
    u = v if rule == "preference" else np.full(n, 1 / n)
    exact = eigenvector(google_matrix(graph, v, u, 0.85))
    for begin in (None, start):
        ranks = pagerank(graph, preference=v, dangling=rule, start=begin, tolerance=tolerance)
        assert distance(ranks, exact) <= tolerance + 1e-12
        assert ranks.sum() == pytest.approx(1.0, abs=1e-12)


def test_a_start_near_the_solution_saves_sweeps() -> None:
    graph = random_web(3, 200)
    solution = pagerank(graph, tolerance=1e-13)
    with pytest.raises(DidNotConverge):
        pagerank(graph, tolerance=1e-9, max_iterations=2)
    assert distance(pagerank(graph, start=7 * solution, tolerance=1e-9, max_iterations=2), solution) <= 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_pairs_of_pages_that_link_to_each_other_alone_do_not_hold_it_up(seed: int) -> None:
    pairs = {page: [page ^ 1] for page in range(40)}
    others = {page: list(range(page - 40, 80, 7)) for page in range(40, 80)}
    graph, v = graph_of(pairs | others, 80), some_preference(80, seed)
    ranks = pagerank(graph, preference=v, tolerance=1e-9, max_iterations=30)
    assert distance(ranks, eigenvector(google_matrix(graph, v, v, 0.85))) <= 1e-9


@pytest.mark.parametrize("rows", ["13020", "13421", "14002", "34410"])
def test_an_error_that_swings_about_the_solution_dies_down(rows: str) -> None:
    # Where these single links lead in a circle, it shrinks as fast as that of a pair, but changes its sign.
    graph = graph_of({page: [int(target)] for page, target in enumerate(rows)}, 5)
    v = np.full(5, 0.2)
    ranks = pagerank(graph, tolerance=1e-9)
    assert distance(ranks, eigenvector(google_matrix(graph, v, v, 0.85))) <= 1e-9


@pytest.mark.parametrize("rule", RULES)
def test_a_surfer_who_follows_no_link_is_where_the_preference_says(rule: DanglingRule) -> None:
    v = some_preference(20, 1)
    assert pagerank(random_web(1, 20), damping=0.0, preference=v, dangling=rule).tolist() == pytest.approx(v.tolist())


def test_no_pages_have_no_ranks_and_one_page_has_it_all() -> None:
    assert pagerank(graph_of({}, 0)).shape == (0,)
    for rule in RULES:
        assert pagerank(graph_of({}, 1), dangling=rule).tolist() == [1.0]


def test_pages_without_links_are_ranked_by_preference_alone() -> None:
    v = np.array([1.0, 2.0, 5.0])
    assert pagerank(graph_of({}, 3), preference=v).tolist() == pytest.approx([0.125, 0.25, 0.625])
    weak = pagerank(graph_of({}, 3), preference=v, dangling="uniform", tolerance=1e-12)
    assert weak.tolist() == pytest.approx((0.85 / 3 + 0.15 * v / 8).tolist())


def test_parts_that_are_not_connected_keep_the_share_of_their_pages() -> None:
    ranks = pagerank(graph_of({0: [1], 1: [0], 2: [3], 3: [4], 4: [2]}, 5), tolerance=1e-12)
    assert ranks.tolist() == pytest.approx([0.2] * 5)


def test_the_remote_only_variant_ranks_what_other_hosts_say() -> None:
    web = graph_of({0: [1], 1: [0], 2: [1]}, 3)
    remote = web.without_links_within(np.array([0, 0, 1], np.int32))
    # Only the link from 2 is left: 0 and 2 have the same, 1 has 0.85 more of it.
    assert pagerank(remote, tolerance=1e-12).tolist() == pytest.approx([1 / 3.85, 1.85 / 3.85, 1 / 3.85])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"damping": 1.0}, "damping 1.0 is not in"),
        ({"damping": -0.1}, "damping -0.1 is not in"),
        ({"preference": np.ones(2)}, r"preference has shape \(2,\), but the graph has 3 pages"),
        ({"preference": np.zeros(3)}, "preference is not a distribution: its sum is 0.0"),
        ({"preference": np.array([1.0, -1.0, 3.0])}, "its least value -1.0"),
        ({"start": np.array([1.0, np.nan, 3.0])}, "start is not a distribution: its sum is nan"),
        ({"start": np.ones((3, 1))}, r"start has shape \(3, 1\)"),
    ],
)
def test_bad_input_is_refused_by_name(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pagerank(graph_of({0: [1]}, 3), **options)


@pytest.mark.parametrize("rule", RULES)
def test_it_says_so_when_the_bound_was_not_reached(rule: DanglingRule) -> None:
    with pytest.raises(DidNotConverge, match=r"after 3 iterations the L1 error may still be .* allow more") as raised:
        pagerank(random_web(1, 60), preference=some_preference(60, 1), dangling=rule, max_iterations=3)
    assert raised.value.iterations == 3
    assert raised.value.error_bound > 1e-9
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value), "also from another process"


@pytest.mark.slow
def test_it_agrees_with_sparse_matrix_products_on_a_real_graph() -> None:
    import scipy.sparse

    graph, _ = web_graph("cnr-2000")
    n, degrees = graph.page_count, np.maximum(graph.outdegrees, 1)
    weights = 0.85 / degrees[graph.sources]
    matrix = scipy.sparse.csr_matrix((weights, (graph.targets, graph.sources)), shape=(n, n))
    is_dangling, x = graph.outdegrees == 0, np.full(n, 1 / n)
    for _ in range(150):
        x = matrix @ x + (0.85 * x[is_dangling].sum() + 0.15) / n
    assert distance(pagerank(graph, tolerance=1e-9), x) <= 1.1e-9


def test_a_warm_start_gives_what_a_cold_one_gives_while_the_crawl_grows() -> None:
    web, warm, estimator = random_web(8, 60), WarmStart(1e-12), CrawledGraphEstimator()
    for size in (0, 1, 5, 20, 60):
        crawled = crawl_of(web, range(size), range(min(size, 10)))
        cold = pagerank(crawled.inner, tolerance=1e-12)
        assert distance(warm.ranks(crawled.inner, crawled.crawled, 60), cold) <= 2e-12
        local = cold[: min(size, 10)]
        assert distance(estimator.estimate(crawled), local / local.sum() if size else local) <= 1e-8
