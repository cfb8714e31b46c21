"""A store as a program reads it: rows, data frames, and a graph that others can compute with."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hinterland
from hinterland import errors
from hinterland.distribution.environment import ROOT
from hinterland.errors import CommandError, MissingPackage, NoStore
from tests.support.search_site import crawl_site


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library") / "site.db"
    asyncio.run(crawl_site(path))
    return path


@pytest.mark.slow
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


@pytest.mark.slow
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
        with pytest.raises(MissingPackage, match="needs the package polars"):
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
        with pytest.raises(CommandError, match="outside-model"):
            store.rank("guess")


@pytest.mark.slow
def test_the_graph_is_the_same_to_scipy_networkx_and_igraph(path: Path) -> None:
    import networkx as nx

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
    with pytest.raises(NoStore, match="a crawl creates one"):
        hinterland.Store(tmp_path / "none.db")


def test_records_of_an_unknown_table_are_refused(path: Path) -> None:
    with hinterland.Store(path) as store, pytest.raises(CommandError, match='no table of records "recipes"'):
        store.records("recipes")


def test_the_body_of_a_page_is_read_by_its_url_or_its_number(path: Path) -> None:
    with hinterland.Store(path) as store:
        page = next(each for each in store.pages() if each.state == "fetched")
        body = store.body(page.url)
        assert body is not None
        assert b"<title>" in body
        assert store.body(page.page) == body
        scheme, _, rest = page.url.partition("://")
        assert store.body(f"{scheme.upper()}://{rest}#fragment") == body
        waiting = [each for each in store.pages() if each.state != "fetched"]
        assert [store.body(each.url) for each in waiting] == [None] * len(waiting)
        for unknown in ("http://nowhere.test/", "no URL", 10_000_000, -1):
            with pytest.raises(CommandError, match=re.escape(str(unknown))):
                store.body(unknown)


def wrong_uses(path: Path, folder: Path) -> dict[str, Callable[[], object]]:
    damaged = folder / "damaged.db"
    damaged.write_bytes(b"no database at all" * 100)
    return {
        "a store that is not there": lambda: hinterland.Store(folder / "none.db"),
        "a store that is none": lambda: hinterland.Store(damaged),
        "a folder for a store": lambda: hinterland.Store(folder),
        "no index": lambda: hinterland.open_index(path, index=folder / "nothing"),
        "no index and no store": lambda: hinterland.open_index(folder / "none.db"),
        "an index of no store": lambda: hinterland.build_index(folder / "none.db"),
        "a crawl without seeds": lambda: hinterland.crawl([], folder / "new.db"),
        "a crawl into a store of another": lambda: hinterland.crawl("http://a.test/", damaged, resume=True),
        "a policy that is none": lambda: hinterland.crawl("http://a.test/", folder / "new.db", policy="bsf"),
        "a setting that is none": lambda: hinterland.crawl("http://a.test/", folder / "new.db", settings={"a.b": "1"}),
        "rules that are not there": lambda: hinterland.crawl("http://a.test/", folder / "new.db", rules=folder / "r"),
        "a plug-in that is not there": lambda: hinterland.crawl("http://a.test/", folder / "new.db", plugins=["p.py"]),
        "nothing to resume": lambda: hinterland.crawl([], folder / "none.db", resume=True),
        "an outcome that is none": lambda: hinterland.crawl([], path, resume=True, retry=["fetchd"]),
        "a table that is none": lambda: hinterland.Store(path).records("x"),
        "an estimator that is none": lambda: hinterland.Store(path).rank("x"),
        "a page that is none": lambda: hinterland.Store(path).body("x"),
    }


def test_whatever_is_used_wrongly_raises_what_the_documents_list(path: Path, tmp_path: Path) -> None:
    listed = tuple(getattr(errors, name) for name in errors.__all__)
    for use in wrong_uses(path, tmp_path).values():
        with pytest.raises(listed, match=r"."):
            use()


@pytest.mark.slow
def test_the_modules_of_the_package_are_its_attributes() -> None:
    program = (
        "import hinterland\n"
        "for name in hinterland.__all__:\n"
        "    assert name in dir(hinterland)\n"
        "    getattr(hinterland, name)\n"
        "assert issubclass(hinterland.errors.QueryError, Exception)\n"
        "assert hinterland.hooks.Hook and hinterland.policies.FixedOrder\n"
        "try:\n"
        "    hinterland.nothing\n"
        "except AttributeError as error:\n"
        "    assert 'nothing' in str(error)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, timeout=120)


@pytest.mark.parametrize("method, package", [("to_networkx", "networkx"), ("to_igraph", "igraph")])
def test_a_graph_for_a_package_that_is_missing_names_it(
    method: str, package: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with hinterland.Store(path) as store, pytest.raises(MissingPackage, match=f"needs the package {package}"):
        getattr(store.graph(), method)()


@pytest.mark.slow
def test_an_index_is_built_and_asked(path: Path, tmp_path: Path) -> None:
    report = hinterland.build_index(path, index=tmp_path / "index")
    assert report.documents
    index = hinterland.open_index(path, index=tmp_path / "index")
    with hinterland.Store(path) as store:
        titles = [page.title for page in store.pages() if page.title and page.outcome == "fetched"]
    assert index.search(titles[0]).hits
