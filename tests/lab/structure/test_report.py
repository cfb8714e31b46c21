"""The report on a graph's structure, and on how its figures moved during the crawl."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.graph import Graph
from hinterland.analysis.measured_graph import MeasuredGraph
from hinterland.lab.structure.course import Drift, Part, discovery, drifts
from hinterland.lab.structure.figures import Figure
from hinterland.lab.structure.null_model import SHAPED, with_same_degrees
from hinterland.lab.structure.report import DeadLinks, structure_report
from tests.support.drawn_graphs import graph_of


def crawl(*, with_order: bool = True) -> MeasuredGraph:
    """Pages 0 to 3 crawled in the order 2 0 1 3, pages 4 and 5 known; page 5 is dead; hosts a (0 1 4) and b (2 3 5)."""
    links = Graph.from_links([2, 2, 0, 0, 1, 3, 3], [0, 3, 1, 4, 2, 5, 4], 6)
    crawled = CrawledGraph.of(
        links, np.arange(4, dtype=np.int32), np.ones(6, np.bool_), np.array([0, 0, 1, 1, 0, 1], np.int32)
    )
    order = np.array([2, 0, 1, 3], np.int32) if with_order else None
    is_dead = np.arange(6) == 5
    names = [f"http://x.test/{page}" for page in range(6)]
    return MeasuredGraph("crawl", crawled, order, names, ["a", "b"], is_dead)


def test_the_report_counts_what_there_is() -> None:
    report = structure_report(crawl())
    assert (report.known, report.crawled, report.links, report.links_out) == (6, 4, 7, 3)
    assert report.regions == [3, 0, 1, 0, 0, 0]
    assert (report.strong_count, report.weak_count) == (2, 1)
    assert report.figures["mean out-degree"].value == 7 / 4
    assert report.figures["mean in-degree"].value == 1
    assert report.figures["sinks"].value == 0
    assert report.figures["core"].value == 0.75
    assert report.core_sizes == [4, 4, 3]
    assert report.dead_links == DeadLinks(pages=1, links=1, links_to_visited=5, sources=1)
    assert report.top[0].name is not None
    assert report.hosts is not None
    assert (report.hosts.known, report.hosts.crawled, report.hosts.links) == (2, 2, 2)
    assert report.hosts.within == pytest.approx(4 / 7)
    assert report.hosts.largest == [("a", 2), ("b", 2)]
    assert "in-degree exponent" not in report.figures  # of four pages


@pytest.mark.slow
def test_a_random_graph_has_the_same_degrees_and_nothing_else() -> None:
    cliques = [(5 * k + i, 5 * k + j) for k in range(40) for i in range(5) for j in range(5) if i != j]
    graph = graph_of([*cliques, *((5 * k, (5 * k + 5) % 200) for k in range(40))], 200)
    dealt = with_same_degrees(graph, np.random.default_rng(1))
    assert (dealt.outdegrees <= graph.outdegrees).all()
    assert (dealt.indegrees <= graph.indegrees).all()
    assert 0.95 * graph.link_count < dealt.link_count <= graph.link_count
    everything = np.ones(200, np.bool_)
    crawled = CrawledGraph.of(graph, np.arange(200, dtype=np.int32), everything, np.zeros(200, np.int32))
    report = structure_report(MeasuredGraph("cliques", crawled))
    assert report.figures["average clustering"].value > 0.8 > 0.2 > report.at_random["average clustering"].value
    assert report.figures["average distance"].value > 3 * report.at_random["average distance"].value
    assert set(report.at_random) == SHAPED


def test_every_step_is_announced_before_it_begins() -> None:
    steps = list[str]()
    structure_report(crawl(), told=steps.append)
    assert steps[0] == "components"
    assert "the first 50 % of the crawl" in steps


def test_a_graph_without_an_order_has_no_course() -> None:
    report = structure_report(crawl(with_order=False))
    assert (list(report.discovery), list(report.drifts)) == ([], [])


def test_discovery_tells_what_was_known_when() -> None:
    graph = crawl()
    assert graph.visit_order is not None
    points = discovery(graph.crawled, graph.visit_order, np.array([0.1, 0.2, 0.3, 0.4]))
    assert [point.visited for point in points] == [1, 2, 3, 4]
    assert [point.known for point in points] == [3, 5, 5, 6]  # 2 with 0 3; 0 with 1 4; 1; 3 with 5
    assert [point.known_before for point in points] == [0, 0, 1, 0.5]
    assert [point.visited_before for point in points] == [0, 0, 1, 0]
    assert [point.rank for point in points] == pytest.approx([0.3, 0.4, 0.6, 1.0])


def test_a_figure_is_settled_once_it_moves_by_less_than_its_error_or_two_percent() -> None:
    def parts(before: Figure, last: Figure) -> list[Part]:
        return [Part(0.5, {"x": before}), Part(1.0, {"x": last, "only at the end": last})]

    def drift(before: Figure, last: Figure) -> Drift:
        (found,) = drifts(parts(before, last))
        return found

    assert drift(Figure(2.0), Figure(2.03)).is_settled
    assert not drift(Figure(2.0), Figure(2.5)).is_settled
    assert drift(Figure(2.0), Figure(2.5)).change == pytest.approx(0.25)
    assert drift(Figure(2.0, 0.4), Figure(2.5, 0.4)).is_settled
    assert drift(Figure(0.0), Figure(0.0)).is_settled
    assert drifts([]) == []


@pytest.mark.slow
def test_the_figures_of_a_part_are_those_of_a_crawl_that_ended_there() -> None:
    rng = np.random.default_rng(1)
    n = 400
    links = Graph.from_links(rng.integers(0, n, 2_000), rng.integers(0, n, 2_000), n)
    order = rng.permutation(n).astype(np.int32)
    pages, hosts = np.arange(n, dtype=np.int32), np.zeros(n, np.int32)
    whole = CrawledGraph.of(links, pages, np.ones(n, np.bool_), hosts)
    report = structure_report(MeasuredGraph("whole", whole, order))
    first = np.sort(order[: n // 2])
    is_first = np.isin(links.sources, first)
    ended = Graph.from_links(links.sources[is_first], links.targets[is_first], n)
    half = structure_report(MeasuredGraph("half", CrawledGraph.of(ended, first, np.ones(n, np.bool_), hosts)))
    at_half = {drift.name: drift.values[drift.shares.index(0.5)] for drift in report.drifts if 0.5 in drift.shares}
    assert len(at_half) > 10
    for name, value in at_half.items():
        assert half.figures[name].value == pytest.approx(value.value), name
