"""A graph that is measured knows its hosts by their own names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hinterland.analysis.graph import Graph
from hinterland.analysis.measured_graph import measured
from hinterland.analysis.stored_graph import StoredGraph

URLS = ["http://a.gov/", "http://b.gov/", "http://a.gov/x", "http://c.gov/"]


@pytest.mark.parametrize(
    "labels",
    [None, ["one", "one", "one", "one"], ["one", "two", "three", "four"], ["1", "2", "3", "4;5"]],
)
def test_hosts_have_the_names_in_the_urls_however_many_labels_there_are(labels: Sequence[str] | None) -> None:
    graph = measured(StoredGraph("g", Graph.from_links([0, 1], [1, 0], 4), URLS, labels))
    assert graph.host_names is not None
    assert [graph.host_names[host] for host in graph.crawled.hosts] == ["a.gov", "b.gov", "a.gov", "c.gov"]


@pytest.mark.parametrize("names", [None, ["one.ca", "two.org", "three.ca", "four"]])
def test_pages_without_urls_have_no_named_hosts(names: Sequence[str] | None) -> None:
    labels = ["politics", "art", "art", "art"]
    assert measured(StoredGraph("g", Graph.from_links([0, 1], [1, 0], 4), names, labels)).host_names is None
