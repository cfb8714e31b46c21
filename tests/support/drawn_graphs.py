"""Small directed graphs for properties, and the same for networkx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from hinterland.analysis.graph import Graph

if TYPE_CHECKING:
    import networkx as nx


@st.composite
def graphs(draw: st.DrawFn, most_pages: int = 14) -> Graph:
    """Sparse and dense ones, with pages that nothing links to."""
    n = draw(st.integers(1, most_pages))
    links = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=4 * n))
    return graph_of(links, n)


def graph_of(links: Sequence[tuple[int, int]], page_count: int) -> Graph:
    return Graph.from_links([source for source, _ in links], [target for _, target in links], page_count)


def as_networkx(graph: Graph) -> nx.DiGraph[int]:
    import networkx as nx

    theirs: nx.DiGraph[int] = nx.DiGraph()
    theirs.add_nodes_from(range(graph.page_count))
    theirs.add_edges_from(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))
    return theirs
