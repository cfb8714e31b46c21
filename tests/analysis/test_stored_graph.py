"""Graphs in files: what is read, and the errors for invalid files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hinterland.analysis.stored_graph import NameKind, UnusableGraph, load_stored_graph
from tests.support.graph_files import write_graph


def test_a_folder_gives_links_names_labels_and_blocks(tmp_path: Path) -> None:
    urls = ["http://a.test/", "http://a.test/x\x85y", "http://b.test/"]  # a letter that splitlines takes for an end
    folder = write_graph(
        tmp_path / "three", [(0, 1), (1, 2), (1, 1)], 3, urls=urls, labels=["", "x;y", "z"], block=np.array([0, 0, -1])
    )
    for path in (folder, folder / "graph.npz"):
        stored = load_stored_graph(path)
        assert stored.name == "three"
        assert [stored.graph.successors(page).tolist() for page in range(3)] == [[1], [2], []]
        assert stored.names == urls
        assert stored.name_kind is NameKind.URL
        assert stored.labels == ["", "x;y", "z"]
        assert stored.blocks is not None
        assert stored.blocks.tolist() == [0, 0, -1]


def test_an_npz_of_any_name_needs_nothing_beside_it(tmp_path: Path) -> None:
    write_graph(tmp_path, [(0, 1)], 2)
    (tmp_path / "graph.npz").rename(tmp_path / "mine.npz")
    stored = load_stored_graph(tmp_path / "mine.npz")
    assert (stored.name, stored.names, stored.labels, stored.name_kind) == ("mine", None, None, None)


def test_pages_whose_links_are_unknown_are_left_out_with_the_links_to_them(tmp_path: Path) -> None:
    urls = ["a.test", "b.test", "c.test"]
    stored = load_stored_graph(write_graph(tmp_path, [(0, 1), (0, 2), (1, 2)], 3, urls=urls, n_crawled=2))
    assert stored.graph.page_count == 2
    assert stored.graph.targets.tolist() == [1]
    assert stored.names == urls[:2]
    assert stored.name_kind is NameKind.SITE


@pytest.mark.parametrize(
    "arrays, complaint",
    [
        ({"src": [0], "n": 1}, "lacks dst"),
        ({"n": 1}, "lacks src and dst"),
        ({"src": [0], "dst": [5], "n": 2}, "target 5 is not a page number below 2"),
        ({"src": [0, 1], "dst": [1], "n": 2}, "not parallel"),
        ({"src": [0.5], "dst": [1.0], "n": 2}, "src is float64"),
        ({"src": [0], "dst": [1], "n": 2, "n_crawled": 3}, "n_crawled is 3"),
        ({"src": [0], "dst": [1], "n": [2, 2]}, "n is int64 of shape"),
        ({"src": [0], "dst": [1], "n": 2.0}, "n is float64 of shape"),
        ({"src": [0], "dst": [1], "n": 10**12}, "n is 1000000000000; a graph has"),
        ({"src": [0], "dst": [1], "n": -1}, "n is -1"),
        ({"src": [[0]], "dst": [1], "n": 2}, "src is int64 of shape"),
        ({"src": [0], "dst": [1], "n": 2, "block": [1]}, "block has 1 entries for 2 pages"),
    ],
)
def test_arrays_that_are_no_graph_are_named(tmp_path: Path, arrays: dict[str, Any], complaint: str) -> None:
    np.savez(tmp_path / "g.npz", **arrays)
    with pytest.raises(UnusableGraph, match=complaint):
        load_stored_graph(tmp_path / "g.npz")


def test_what_is_no_npz_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnusableGraph, match="there is no graph at"):
        load_stored_graph(tmp_path)
    (tmp_path / "g.npz").write_bytes(b"PK\3\4 and no more")
    with pytest.raises(UnusableGraph, match="cannot be read as an"):
        load_stored_graph(tmp_path / "g.npz")
    np.save(tmp_path / "alone.npy", np.zeros(3))
    (tmp_path / "letter").write_bytes(b"Dear reader")
    (tmp_path / "nothing").touch()
    for name in ("alone.npy", "letter", "nothing"):
        with pytest.raises(UnusableGraph, match=f"{name} is not a graph: an .npz with src, dst and n is expected"):
            load_stored_graph(tmp_path / name)


def test_names_that_are_not_one_a_page_are_an_error(tmp_path: Path) -> None:
    write_graph(tmp_path, [(0, 1)], 2, urls=["a", "b", "c"])
    with pytest.raises(UnusableGraph, match=r"urls\.txt\.gz has 3 lines for 2 pages"):
        load_stored_graph(tmp_path)
    (tmp_path / "urls.txt.gz").write_bytes(b"a\nb\n")
    with pytest.raises(UnusableGraph, match="cannot be read as gzipped UTF-8"):
        load_stored_graph(tmp_path)


def test_the_order_of_the_visits_is_read_and_checked(tmp_path: Path) -> None:
    order = np.array([1, 0])
    stored = load_stored_graph(write_graph(tmp_path / "right", [(0, 1), (1, 2)], 3, n_crawled=2, visit_order=order))
    assert stored.visit_order is not None
    assert stored.visit_order.tolist() == [1, 0]
    for name, wrong in (("twice", [0, 0]), ("short", [0]), ("frontier", [0, 2])):
        folder = write_graph(tmp_path / name, [(0, 1)], 3, n_crawled=2, visit_order=np.array(wrong))
        with pytest.raises(UnusableGraph, match="visit_order must hold each of the 2 crawled pages once"):
            load_stored_graph(folder)
