"""A store as a program reads it: rows, data frames, and a graph that others can compute with."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import hinterland
from hinterland.errors import MissingPackage, NoStore
from tests.support.search_site import crawl_site


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library") / "site.db"
    asyncio.run(crawl_site(path))
    return path


def test_pages_links_and_hosts_are_read_as_often_as_they_are_asked_for(path: Path) -> None:
    with hinterland.Store(path) as store:
        pages = store.pages(with_text=True)
        assert [page.url for page in pages] == [page.url for page in pages]
        urls = {page.page: page.url for page in pages}
        assert any(page.text for page in pages)
        assert len(pages.first(2)) == 2
        links = list(store.links())
        assert links
        assert all((urls[link.source_page], urls[link.target_page]) == (link.source, link.target) for link in links)
        assert {page.host for page in pages} == {host.url for host in store.hosts()}


def test_rows_become_data_frames_with_types(path: Path) -> None:
    with hinterland.Store(path) as store:
        pages = store.pages()
        table = pages.to_arrow()
        assert table.num_rows == len(list(pages))
        assert str(table.schema.field("fetched_at").type) == "timestamp[us, tz=UTC]"
        assert table["url"].to_pylist() == [page.url for page in pages]
        frame = store.links().to_pandas()
        assert frame["leaves_host"].dtype == bool
        assert store.hosts().to_polars()["url"].to_list() == [host.url for host in store.hosts()]
        ranked = store.rank().to_pandas()
        assert list(ranked["position"]) == list(range(1, len(ranked) + 1))


def test_a_package_that_is_missing_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    with hinterland.Store(path) as store:
        with pytest.raises(MissingPackage, match="needs polars"):
            store.pages().to_polars()
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingPackage, match=r"needs pyarrow.*loop over the rows"):
            store.pages().to_arrow()


def test_pages_are_ranked_as_the_command_ranks_them(path: Path) -> None:
    with hinterland.Store(path) as store:
        ranked = list(store.rank())
        assert {each.url for each in ranked} == {
            page.url for page in store.pages(local_only=True) if page.outcome == "fetched"
        }
        assert [each.pagerank for each in ranked] == sorted((each.pagerank for each in ranked), reverse=True)
        assert sorted(each.site_position for each in ranked) == list(range(1, len(ranked) + 1))
        with pytest.raises(KeyError, match="outside-model"):
            store.rank("guess")


def test_the_graph_is_the_same_to_scipy_networkx_and_igraph(path: Path) -> None:
    with hinterland.Store(path) as store:
        graph = store.graph()
        links = {(link.source_page, link.target_page) for link in store.links() if link.source_page != link.target_page}
    matrix = graph.to_scipy()
    assert {(int(row), int(column)) for row, column in zip(*matrix.nonzero(), strict=True)} == links
    other = graph.to_networkx()
    assert set(other.edges) == links
    assert [other.nodes[page]["url"] for page in range(len(graph.urls))] == list(graph.urls)
    assert set(graph.to_igraph().get_edgelist()) == links
    theirs = nx.pagerank(other, tol=1e-10, max_iter=1000)
    assert np.allclose(graph.pagerank(), [theirs[page] for page in range(len(graph.urls))], atol=1e-8)


def test_a_part_of_the_graph_keeps_what_is_known_of_its_pages(path: Path) -> None:
    with hinterland.Store(path) as store:
        graph = store.graph()
    chosen = np.flatnonzero(graph.is_crawled)[::-1].astype(np.int32)
    part = graph.among(chosen)
    assert list(part.urls) == [graph.urls[page] for page in chosen]
    assert part.is_crawled.all()
    for page in range(len(chosen)):
        kept = set(chosen.tolist()) & set(graph.links.successors(int(chosen[page])).tolist())
        assert set(chosen[part.links.successors(page)].tolist()) == kept


def test_a_store_that_is_not_there_says_what_makes_one(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="a crawl makes one"):
        hinterland.Store(tmp_path / "none.db")


def test_records_of_an_unknown_table_name_those_there_are(path: Path) -> None:
    with hinterland.Store(path) as store, pytest.raises(KeyError, match="its tables: none"):
        store.records("recipes")


def test_an_index_is_built_and_asked(path: Path, tmp_path: Path) -> None:
    report = hinterland.build_index(path, index=tmp_path / "index")
    assert report.documents
    index = hinterland.open_index(path, index=tmp_path / "index")
    with hinterland.Store(path) as store:
        titles = [page.title for page in store.pages() if page.title and page.outcome == "fetched"]
    assert index.search(titles[0]).hits
