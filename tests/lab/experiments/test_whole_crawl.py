"""A whole graph is crawled from one page, each page once, as a policy wants it."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.crawler.policies import make_policy
from hinterland.lab.experiments.simulation import StoredReading
from hinterland.lab.experiments.whole_crawl import crawl_order, starting_page
from tests.support.link_features import features_of
from tests.support.webs import graph_of, random_web


def test_every_page_within_reach_is_fetched_once() -> None:
    graph = random_web(3, 200)
    start = starting_page(graph)
    hosts = (np.arange(200) % 7).astype(np.int32)
    order = crawl_order(graph, hosts, make_policy("bfs", 1), 1)
    assert order[0] == start
    assert sorted(order.tolist()) == graph.reachable_from([start]).tolist()
    assert order.tolist() == crawl_order(graph, hosts, make_policy("bfs", 1), 1).tolist()


def test_policies_fetch_in_their_orders() -> None:
    """A path from 0, and a star around it, on one host: a breadth-first crawl goes around the star first."""
    rows = {0: [1, *range(20, 40)], **{page: [page + 1] for page in range(1, 9)}}
    graph, hosts = graph_of(rows, 40), np.zeros(40, np.int32)
    place_of_end = {
        name: crawl_order(graph, hosts, make_policy(name, 1), 1).tolist().index(9) for name in ("bfs", "dfs")
    }
    assert place_of_end["bfs"] == 29
    assert place_of_end["dfs"] < 29


def test_it_begins_where_most_can_be_reached() -> None:
    assert starting_page(graph_of({0: [1, 2, 3], 4: [5, 0], 5: [6]}, 7)) == 4
    with pytest.raises(ValueError, match="without pages"):
        starting_page(Graph.from_links([], [], 0))


def test_a_policy_that_follows_relevant_pages_is_shown_what_was_read_of_each() -> None:
    branches = {1: range(3, 7), 2: range(7, 11)}
    links = [(0, 1), (0, 2), *((page, each) for page, targets in branches.items() for each in targets)]
    sources, targets = np.array(links).T
    graph = Graph.from_links(sources, targets, 11)

    def order(relevant: int) -> list[int]:
        shown = {
            page: StoredReading(float(page == relevant), np.array(targets, np.int32), features_of([[1]] * len(targets)))
            for page, targets in {0: [1, 2], **branches}.items()
        }
        policy, hosts = make_policy("parent-relevance", 0), np.zeros(11, np.int32)
        return list(crawl_order(graph, hosts, policy, 1, starts=np.array([0]), readings=shown))

    for relevant, other in [(1, 2), (2, 1)]:
        found = order(relevant)
        assert sorted(found) == list(range(11))
        places = {page: place for place, page in enumerate(found)}
        assert max(places[page] for page in branches[relevant]) < min(places[page] for page in branches[other])
