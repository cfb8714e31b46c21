"""A graph in files answers as one in memory, and leaves no files behind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.analysis.mmap_graph import MmapGraph
from hinterland.analysis.pagerank import pagerank
from tests.support.webs import graph_of


def test_a_graph_in_files_has_the_same_links_both_ways_and_the_same_ranks(tmp_path: Path) -> None:
    graph = graph_of({0: [1, 2], 1: [2], 3: [0, 2]}, 5)
    filed = MmapGraph.of(graph, tmp_path)
    for one, other in ((filed, graph), (filed.transposed, graph.transposed)):
        assert np.array_equal(one.offsets, other.offsets)
        assert np.array_equal(one.targets, other.targets)
    assert np.array_equal(pagerank(filed), pagerank(graph))


def test_its_files_have_no_names_and_its_links_cannot_be_written(tmp_path: Path) -> None:
    filed = MmapGraph.of(graph_of({0: [1]}, 2), tmp_path)
    assert filed.transposed.successors(1).tolist() == [0]
    room = filed.zeros(3, np.int32)
    room[1] = 7
    assert room.tolist() == [0, 7, 0]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="read-only"):
        filed.targets[0] = 0


def test_a_graph_without_links_or_pages_can_be_in_files(tmp_path: Path) -> None:
    for pages in (0, 3):
        filed = MmapGraph.of(Graph.from_links([], [], pages), tmp_path)
        assert (filed.page_count, filed.transposed.link_count) == (pages, 0)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        MmapGraph.of(graph_of({0: [1]}, 2), tmp_path / "missing")
