"""The rule by which the orders of `return-flow` were chosen."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from benchmarks.choice import BUDGETS, Result, Variant, by_graph, chosen, directories_of, score, told
from hinterland.analysis.graph import Graph
from hinterland.analysis.stored_graph import StoredGraph

ONE, OTHER = Variant(("return",)), Variant(("local links",))


def results(ratios: dict[tuple[str, str], tuple[float, float]]) -> list[Result]:
    """L1 relative to breadth-first order, of ONE and OTHER, by graph and domain; the same for each budget."""
    return [
        Result(graph, domain, budget, variant, log(ratio))
        for (graph, domain), both in ratios.items()
        for budget in BUDGETS
        for variant, ratio in zip((ONE, OTHER), both, strict=True)
    ]


def test_each_graph_weighs_the_same_however_many_domains_it_has() -> None:
    found = results({("a", "1"): (0.5, 1), ("b", "2"): (2, 1), ("b", "3"): (2, 1), ("b", "4"): (2, 1)})
    assert by_graph(found, ONE, BUDGETS[0]) == pytest.approx({"a": log(0.5), "b": log(2)})
    assert exp(score(found, ONE)) == pytest.approx(1)


def test_a_graph_has_no_part_in_the_choice_that_is_reported_on_it() -> None:
    found = results({("a", "1"): (0.1, 1), ("b", "2"): (1, 0.9), ("c", "3"): (1, 0.9)})
    assert chosen(found) == ONE
    assert chosen(found, without="a") == OTHER
    rows = [line for line in told(found) if line.startswith("| chosen on the other graphs")]
    assert rows[0].split(" | ")[2:5] == ["1.00", "1.00", "1.00"]


def test_domains_of_a_graph_with_urls_are_directories_with_links_to_choose_from() -> None:
    pages, rng = 400, np.random.default_rng(1)
    urls = [f"http://site.example/{'docs' if page < 50 else page}/index.html" for page in range(pages)]
    graph = Graph.from_links(
        np.repeat(np.arange(pages, dtype=np.int32), 4), rng.integers(0, pages, 4 * pages).astype(np.int32), pages
    )
    assert [domain.name for domain in directories_of(StoredGraph("one", graph, urls))] == [
        "one http://site.example/docs"
    ]
    assert not list(directories_of(StoredGraph("nameless", graph)))
