"""Exports, read back by the programs that others read them with."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sqlite3
import sys
from contextlib import AbstractContextManager, closing
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from warcio.archiveiterator import ArchiveIterator

from hinterland.storage.exports import FORMATS, dataset, opensearch, sitemap
from hinterland.storage.exports.destinations import DestinationTaken, new_file, new_folder
from hinterland.storage.exports.format import FileFormat, FolderFormat, Written
from hinterland.storage.exports.jsonl import LINK_FIELDS, PAGE_FIELDS
from hinterland.storage.exports.source import ExportSource, Selection, json_line
from hinterland.storage.link_store import LinkStore
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import (
    ContentRecord,
    DiscoveriesRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    RankRecord,
    VisitRecord,
)
from tests.support.full_disk import write_to_full_disk

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

EVIL = '<script>"&\x00\x0b\x1b[31m\x85\u2028\ufffe</script>\U0001f600'
AT = 1_700_000_000.25
URLS = {
    0: "http://a.test/",
    1: "http://a.test/b?x=1&y='2'",
    2: "http://b.test:8080/",
    3: "http://a.test/noindex",
    4: "http://a.test/copy",
    5: "http://a.test/waiting",
}


def visit(page: int, **more: Any) -> VisitRecord:
    host = 1 if page == 2 else 0
    state = HostStateRecord(host, "127.0.0.1", 0.0, 0.0, 0, 1, is_given_up=False)
    fields: dict[str, Any] = {
        "title": f"page {page}",
        "description": "",
        "language": "en-GB",
        "status": 200,
        "content_type": "text/html; charset=utf-8",
        "body_bytes": 9,
        "body_hash": bytes(16),
        "content": ContentRecord(zstd.compress(f"text of {page}".encode()), '[[1, "Head"]]', zstd.compress(b"<p>body")),
    }
    return VisitRecord(page + 1, page, "fetched", "fetched", "", 1, AT + page, 0.1, state, **fields | more)


async def fill(path: Path) -> None:
    async with LinkStore(path) as store:
        await store.begin_run(["crawl"], "{}", AT)
        hosts = [HostRecord(0, "http://a.test", "a.test"), HostRecord(1, "http://b.test:8080", "b.test")]
        pages = [
            PageRecord(number, url, int(number == 2), "waiting", int(number != 2), 0, None, 0)
            for number, url in URLS.items()
        ]
        links = LinkColumns([1, 1, 2, 4], bytes([0, 4, 0, 0]), bytes([1, 0, 0, 0]), ["", "b", EVIL, "copy"])
        await store.write(
            [
                DiscoveriesRecord(hosts, pages),
                visit(0, title=EVIL, links=links, last_modified="Tue, 14 Nov 2023 10:00:00 GMT"),
                visit(1, links=LinkColumns([0], bytes([0]), bytes([0]), ["home"]), last_modified="rubbish"),
                visit(2, last_modified="Tue, 14 Nov 2033 10:00:00 GMT"),
                visit(3, is_noindex=True),
                visit(4, canonical=1),
                RankRecord("local", [0, 1, 3, 4], [0.4, 0.3, 0.2, 0.1]),
                RankRecord("outside-model", [0, 1, 3, 4], [0.7, 0.1, 0.1, 0.1]),
            ]
        )
        await store.end_run(1, "exhausted", {}, AT)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "s.db"
    asyncio.run(fill(path))
    return path


def export(store: Path, name: str, target: Path, what: str | None = None, **selection: Any) -> Written:
    format_ = FORMATS[name]
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        selected = Selection("outside-model", **selection)
        source = ExportSource(StoreReader(store, connection), selected, lambda done, total: None)
        if isinstance(format_, FileFormat):
            with new_file(target, force=True) as file:
                return format_.write(source, what or format_.what[0], file)
        assert isinstance(format_, FolderFormat)
        with new_folder(target, format_.names, force=True) as folder:
            return format_.write(source, what or format_.what[0], folder)


# --- JSON Lines ---------------------------------------------------------------------------------


def test_pages_are_lines_of_json(store: Path, tmp_path: Path) -> None:
    written = export(store, "jsonl", tmp_path / "x", with_text=True)
    pages = [json.loads(line) for line in (tmp_path / "x").read_text().splitlines()]
    assert written.count == len(pages) == len(URLS)
    assert [page["url"] for page in pages] == list(URLS.values())
    first, waiting = pages[0], pages[5]
    assert tuple(first) == (*PAGE_FIELDS, "headings", "text")
    assert first["title"] == EVIL
    assert first["fetched_at"] == "2023-11-14T22:13:20.250Z"
    assert (first["as_site_sees"], first["as_web_sees"]) == (0.4, 0.7)
    assert (first["text"], first["headings"]) == ("text of 0", ["Head"])
    assert (first["is_local"], first["is_noindex"]) == (True, False)
    assert (waiting["outcome"], waiting["fetched_at"], waiting["as_web_sees"]) == (None, None, None)


def test_links_are_lines_of_json(store: Path, tmp_path: Path) -> None:
    export(store, "jsonl", tmp_path / "x", "links")
    links = [json.loads(line) for line in (tmp_path / "x").read_text().splitlines()]
    assert [tuple(link) for link in links] == [LINK_FIELDS] * 5
    assert [(link["source"], link["target"], link["kind"]) for link in links][:2] == [
        (URLS[0], URLS[1], "a"),
        (URLS[0], URLS[1], "canonical"),
    ]
    assert [link["nofollow"] for link in links] == [True, False, False, False, False]
    assert links[2]["anchor"] == EVIL
    assert links[2]["leaves_host"] is True
    assert links[2]["target_is_local"] is False


def test_only_local_means_neither_pages_nor_links_of_others(store: Path, tmp_path: Path) -> None:
    export(store, "jsonl", tmp_path / "pages", "pages", local_only=True)
    export(store, "jsonl", tmp_path / "links", "links", local_only=True)
    assert "b.test" not in (tmp_path / "pages").read_text() + (tmp_path / "links").read_text()


@pytest.mark.parametrize("what", ["pages", "links"])
def test_small_batches_make_the_same_file(
    store: Path, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(store, "jsonl", tmp_path / "a", what)
    monkeypatch.setattr("hinterland.storage.exports.source._PAGES_AT_ONCE", 1)
    monkeypatch.setattr("hinterland.storage.exports.source._LINKS_AT_ONCE", 1)
    export(store, "jsonl", tmp_path / "b", what)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_line_holds_nothing_that_a_terminal_obeys() -> None:
    line = json_line({"title": "".join(map(chr, range(0x300))) + "\u2028\u2029"})
    assert json.loads(line)["title"].startswith("\0\1")
    assert not re.search("[\x00-\x1f\x7f-\x9f\u2028\u2029]", line.decode()[:-1])
    assert len(line.decode().splitlines()) == 1


# --- Parquet ------------------------------------------------------------------------------------


def test_duckdb_reads_pages_with_their_types(store: Path, tmp_path: Path) -> None:
    import duckdb

    export(store, "parquet", tmp_path / "x.parquet", with_text=True)
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        described = database.execute(f"DESCRIBE SELECT * FROM '{tmp_path}/x.parquet'").fetchall()
        types = {name: type_ for name, type_, *_ in described}
        rows = database.execute(
            f"SELECT url, title, epoch(fetched_at), as_web_sees, headings FROM '{tmp_path}/x.parquet' ORDER BY page"
        ).fetchall()
    assert list(types) == [*PAGE_FIELDS, "headings", "text"]
    assert types["fetched_at"] == "TIMESTAMP WITH TIME ZONE"
    assert (types["is_local"], types["as_web_sees"], types["status"]) == ("BOOLEAN", "DOUBLE", "SMALLINT")
    assert (types["headings"], types["text"], types["page"]) == ("VARCHAR[]", "VARCHAR", "INTEGER")
    assert rows[0] == (URLS[0], EVIL, AT, 0.7, ["Head"])
    assert len(rows) == len(URLS)


def test_duckdb_reads_links(store: Path, tmp_path: Path) -> None:
    import duckdb

    export(store, "parquet", tmp_path / "x.parquet", "links")
    with duckdb.connect() as database:
        rows = database.execute(
            f"SELECT target, count(*), bool_and(nofollow) FROM '{tmp_path}/x.parquet' GROUP BY target ORDER BY target"
        ).fetchall()
    assert rows == [(URLS[0], 1, False), (URLS[1], 2, False), (URLS[4], 1, False), (URLS[2], 1, False)]


def test_parquet_and_json_lines_say_the_same(store: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    export(store, "parquet", tmp_path / "x.parquet")
    export(store, "jsonl", tmp_path / "x.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    for row, line in zip(pyarrow.parquet.read_table(tmp_path / "x.parquet").to_pylist(), lines, strict=True):
        if row["fetched_at"] is not None:
            assert row["fetched_at"] == datetime.fromisoformat(line.pop("fetched_at"))
            assert row.pop("fetched_at").tzinfo is not None
        assert row == line


# --- graphs -------------------------------------------------------------------------------------


def test_networkx_reads_the_graphml(store: Path, tmp_path: Path) -> None:
    import networkx as nx

    written = export(store, "graphml", tmp_path / "x.graphml")
    graph = nx.read_graphml(tmp_path / "x.graphml")
    assert type(graph) is nx.DiGraph
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (len(URLS), written.count) == (6, 4)
    node = graph.nodes["n0"]
    assert node["url"] == URLS[0]
    assert node["as_web_sees"] == 0.7
    assert node["is_local"] is True
    assert node["title"] == re.sub("[\x00\x0b\x1b\ufffe]", "\ufffd", EVIL)
    assert "as_web_sees" not in graph.nodes["n5"]
    assert graph.edges["n0", "n1"] == {"kind": "a,canonical", "nofollow": False, "anchor": "b", "leaves_host": False}


def test_igraph_reads_the_graphml(store: Path, tmp_path: Path) -> None:
    import igraph

    export(store, "graphml", tmp_path / "x.graphml")
    graph = igraph.Graph.Read_GraphML(str(tmp_path / "x.graphml"))
    assert graph.is_directed()
    assert (graph.vcount(), graph.ecount()) == (6, 4)
    assert graph.vs["url"] == list(URLS.values())
    assert graph.vs[0]["as_site_sees"] == 0.4
    assert not graph.has_multiple()


def test_networkx_reads_the_edge_list(store: Path, tmp_path: Path) -> None:
    import networkx as nx

    export(store, "edges", tmp_path / "x.tsv")
    graph = nx.read_edgelist(tmp_path / "x.tsv", create_using=nx.DiGraph, delimiter="\t")
    assert set(graph.edges) == {(URLS[0], URLS[1]), (URLS[0], URLS[2]), (URLS[0], URLS[4]), (URLS[1], URLS[0])}


# --- OpenSearch ---------------------------------------------------------------------------------


def test_bulk_files_are_taken_by_a_client_and_a_stand_in_for_the_server(store: Path, tmp_path: Path) -> None:
    """openmock parses a bulk body as the server would and keeps the documents; it checks no mapping."""
    written = export(store, "opensearch", tmp_path / "x", with_text=True)
    assert written.left_out["noindex, or another page is the canonical one"] == 2
    found = loaded(sorted((tmp_path / "x").glob("bulk-*.ndjson")))
    assert len(found) == written.count == 3
    documents = {hit["_source"]["url"]: hit["_source"] for hit in found}
    assert {hit["_id"] for hit in found} == {opensearch.identity(url) for url in documents}
    assert documents[URLS[0]]["title"] == EVIL
    assert documents[URLS[0]]["language"] == "en"
    assert documents[URLS[0]]["rank_web"] == pytest.approx(4 * 0.7)
    assert documents[URLS[1]]["anchors"] == ["b"]
    assert "rank_web" not in documents[URLS[2]]


def loaded(parts: list[Path]) -> list[dict[str, Any]]:
    import opensearchpy
    from openmock import openmock

    def load() -> list[dict[str, Any]]:
        client = opensearchpy.OpenSearch()
        for part in parts:
            assert not client.bulk(body=part.read_text(), index="pages")["errors"]
        hits: list[dict[str, Any]] = client.search(index="pages", body={"query": {"match_all": {}}})["hits"]["hits"]
        return hits

    found: list[dict[str, Any]] = openmock(load)()
    return found


def test_every_line_is_as_the_specification_of_the_api_has_it(store: Path, tmp_path: Path) -> None:
    """OperationContainer of OpenSearch's API specification: exactly one operation, an _id of at most 512 bytes."""
    export(store, "opensearch", tmp_path / "x", with_text=True)
    [part] = (tmp_path / "x").glob("bulk-*.ndjson")
    data = part.read_bytes()
    assert data.endswith(b"\n")
    lines = [json.loads(line) for line in data.split(b"\n")[:-1]]
    assert len(lines) % 2 == 0
    mapping = json.loads((tmp_path / "x" / "mapping.json").read_text())["mappings"]
    for action, document in zip(lines[::2], lines[1::2], strict=True):
        assert list(action) == ["index"]
        assert list(action["index"]) == ["_id"]
        assert len(action["index"]["_id"]) <= 512
        assert set(document) <= set(mapping["properties"])  # which is strict
        for name, value in document.items():
            fits: dict[str, Any] = {"keyword": str, "text": (str, list), "date": str, "rank_feature": float}
            assert isinstance(value, fits[mapping["properties"][name]["type"]]), name
            assert mapping["properties"][name]["type"] != "rank_feature" or value > 0


def test_bulk_files_are_split_between_documents(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(store, "opensearch", tmp_path / "whole")
    monkeypatch.setattr(opensearch, "PART_BYTES", 600)
    export(store, "opensearch", tmp_path / "parts")
    parts = sorted((tmp_path / "parts").glob("bulk-*.ndjson"))
    assert len(parts) > 1
    assert all(part.read_bytes().count(b"\n") % 2 == 0 for part in parts)
    [whole] = (tmp_path / "whole").glob("bulk-*.ndjson")
    assert b"".join(part.read_bytes() for part in parts) == whole.read_bytes()


# --- sitemap ------------------------------------------------------------------------------------

NS = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
W3C_DATETIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def locations(file: Path, root: str) -> list[str]:
    """What a sitemap lists, which is checked against the rules of sitemaps.org."""
    data = file.read_bytes()
    assert len(data) <= 52_428_800
    tree = ET.fromstring(data)
    assert tree.tag == f"{{{NS['s']}}}{root}"
    assert 1 <= len(tree) <= 50_000
    for entry in tree:
        assert [each.tag.partition("}")[2] for each in entry] in (["loc"], ["loc", "lastmod"])
        for lastmod in entry.iterfind("s:lastmod", NS):
            assert W3C_DATETIME.fullmatch(lastmod.text or "")
    found = [loc.text or "" for loc in tree.iterfind("*/s:loc", NS)]
    assert all(12 <= len(loc) < 2048 for loc in found)
    assert len({loc.split("/")[2] for loc in found}) == 1
    return found


def test_a_sitemap_lists_what_is_local_and_may_be_indexed(store: Path, tmp_path: Path) -> None:
    written = export(store, "sitemap", tmp_path / "x")
    file = tmp_path / "x" / "http-a.test" / "sitemap.xml"
    assert [each for each in (tmp_path / "x").rglob("*") if each.is_file()] == [file]
    assert locations(file, "urlset") == [URLS[0], URLS[1]]
    assert written.count == 2
    assert written.left_out["noindex, or another page is the canonical one"] == 2
    text = file.read_text()
    assert text.count("<lastmod>") == 1
    assert "<lastmod>2023-11-14T10:00:00Z</lastmod>" in text
    assert "/b?x=1&amp;y=&apos;2&apos;" in text


@pytest.mark.parametrize("limit, value", [("MAX_URLS", 1), ("MAX_BYTES", 100)])
def test_a_large_sitemap_is_split_and_gets_an_index(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, value: int
) -> None:
    monkeypatch.setattr(sitemap, limit, value)
    export(store, "sitemap", tmp_path / "x")
    folder = tmp_path / "x" / "http-a.test"
    parts = locations(folder / "sitemap.xml", "sitemapindex")
    assert parts == ["http://a.test/sitemap-00001.xml", "http://a.test/sitemap-00002.xml"]
    assert [locations(folder / part.rpartition("/")[2], "urlset") for part in parts] == [[URLS[0]], [URLS[1]]]


def test_a_url_longer_than_a_sitemap_may_have_is_left_out_and_counted(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitemap, "MAX_URL_LENGTH", len(URLS[0]))
    written = export(store, "sitemap", tmp_path / "x")
    assert locations(tmp_path / "x" / "http-a.test" / "sitemap.xml", "urlset") == [URLS[0]]
    assert (written.count, written.left_out[f"URL longer than {len(URLS[0])} characters"]) == (1, 1)


def test_a_sitemap_written_in_many_pieces_is_the_same(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = []
    for name in ("whole", "pieces"):
        export(store, "sitemap", tmp_path / name)
        files.append((tmp_path / name / "http-a.test" / "sitemap.xml").read_text())
        monkeypatch.setattr(sitemap, "_BUFFER", 1)
    assert files[0] == files[1]


@pytest.mark.parametrize(
    "last_modified, lastmod",
    [
        ("Tue, 14 Nov 2023 10:00:00 -0000", "<lastmod>2023-11-14T10:00:00Z</lastmod>"),
        ("Tue, 14 Nov 2023 10:00:00 +0200", "<lastmod>2023-11-14T08:00:00Z</lastmod>"),
        ("Tue, 14 Nov 2033 10:00:00 GMT", ""),
        ("Wed, 31 Dec 1969 10:00:00 GMT", ""),
    ],
)
def test_a_page_was_modified_when_it_says_so_unless_that_cannot_be(
    store: Path, tmp_path: Path, last_modified: str, lastmod: str
) -> None:
    path = Path(shutil.copy(store, tmp_path / "s.db"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE fetch SET last_modified = ?", (last_modified,))
    export(path, "sitemap", tmp_path / "x")
    text = (tmp_path / "x" / "http-a.test" / "sitemap.xml").read_text()
    assert f"<url><loc>{URLS[0]}</loc>{lastmod}</url>" in text


# --- WARC ---------------------------------------------------------------------------------------


def test_kept_bodies_become_resource_records(store: Path, tmp_path: Path) -> None:
    written = export(store, "warc", tmp_path / "x.warc.gz")
    with (tmp_path / "x.warc.gz").open("rb") as file:
        records = [
            (
                each.rec_type,
                each.rec_headers.get_header("WARC-Target-URI"),
                each.content_type,
                each.content_stream().read(),
            )
            for each in ArchiveIterator(file, check_digests="raise")
        ]
    assert records[0][0] == "warcinfo"
    assert records[1] == ("resource", URLS[0], "text/html; charset=utf-8", b"<p>body")
    assert written.count == len(records) - 1 == 5


def test_pages_whose_bodies_were_not_kept_are_left_out_of_a_warc_and_counted(store: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(store, tmp_path / "s.db"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE content SET body = NULL WHERE page <> 0")
    written = export(path, "warc", tmp_path / "x.warc.gz")
    assert written.count == 1
    assert list(written.left_out.values()) == [4]


# --- where it goes ------------------------------------------------------------------------------


def test_half_an_export_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        break_off(new_file(tmp_path / "x", force=False))
    with pytest.raises(RuntimeError):
        break_off(new_folder(tmp_path / "y", "a", force=False))
    assert list(tmp_path.iterdir()) == []


def test_the_error_that_stopped_an_export_is_raised_even_if_its_remains_cannot_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "unlink", write_to_full_disk)
    monkeypatch.setattr(shutil, "rmtree", write_to_full_disk)
    with pytest.raises(RuntimeError):
        break_off(new_file(tmp_path / "x", force=False))
    with pytest.raises(RuntimeError):
        break_off(new_folder(tmp_path / "y", "a", force=False))


def test_an_export_has_its_name_only_when_it_is_whole(tmp_path: Path) -> None:
    with new_file(tmp_path / "x", force=False) as file:
        file.write(b"whole")
        assert not (tmp_path / "x").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o666 & ~current_umask()


def break_off(destination: AbstractContextManager[object]) -> None:
    with destination as target:
        if isinstance(target, Path):
            (target / "a").write_text("half")
        raise RuntimeError


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_file_does_not_take_the_place_of_a_folder_nor_a_folder_that_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(DestinationTaken, match="is a folder"), new_file(tmp_path / "folder", force=True):
        pass
    with pytest.raises(DestinationTaken, match="is not a folder"), new_folder(tmp_path / "file", "a", force=True):
        pass
    assert (tmp_path / "file").read_text() == "mine"


def test_nothing_is_replaced_without_leave(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("mine")
    with pytest.raises(DestinationTaken, match="--force"), new_file(tmp_path / "x", force=False):
        pass
    assert (tmp_path / "x").read_text() == "mine"
    with new_file(tmp_path / "x", force=True) as file:
        file.write(b"new")
    assert (tmp_path / "x").read_text() == "new"


def test_an_export_replaces_no_database_even_by_force(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("CREATE TABLE page (id INTEGER)")
    before = store.read_bytes()
    with pytest.raises(DestinationTaken, match="SQLite database"), new_file(store, force=True):
        pass
    assert store.read_bytes() == before


def test_a_folder_is_replaced_only_if_an_export_wrote_it(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    (folder / "bulk-00001.ndjson").write_text("old")
    names = FORMATS["opensearch"]
    assert isinstance(names, FolderFormat)
    with new_folder(folder, names.names, force=True) as new:
        (new / "bulk-00002.ndjson").write_text("new")
    assert [each.name for each in folder.iterdir()] == ["bulk-00002.ndjson"]
    (folder / "thesis.tex").write_text("years of work")
    with pytest.raises(DestinationTaken, match=r"thesis\.tex"), new_folder(folder, names.names, force=True):
        pass
    assert (folder / "thesis.tex").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


def test_a_store_can_be_exported_while_it_is_written(store: Path, tmp_path: Path) -> None:
    mine = Path(shutil.copy(store, tmp_path))
    with closing(sqlite3.connect(mine, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE fetch SET title = 'later'")
        export(mine, "jsonl", tmp_path / "x")
        writer.execute("COMMIT")
    assert "later" not in (tmp_path / "x").read_text()


def test_pages_found_after_an_export_began_are_left_out(store: Path, tmp_path: Path) -> None:
    mine = Path(shutil.copy(store, tmp_path))
    with closing(sqlite3.connect(mine)) as connection:
        source = ExportSource(StoreReader(mine, connection), Selection("outside-model"), lambda done, total: None)
        connection.execute("INSERT INTO page VALUES (6, 'http://a.test/new', 0, 'known', 1, 1, NULL, 0)")
        connection.execute("INSERT INTO link VALUES (0, 6, 0, 0, 'new')")
        assert [page.page for batch in source.pages() for page in batch] == list(URLS)
        assert all(link.target_page < 6 for batch in source.links() for link in batch)


@pytest.mark.parametrize("most_rows", [1, 20_000])
@pytest.mark.parametrize("by, key", [("host", "host_name"), ("date", "fetch_date")])
def test_duckdb_and_polars_read_a_divided_folder_as_one_table(
    store: Path, tmp_path: Path, by: str, key: str, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb
    import polars as pl

    monkeypatch.setattr(dataset, "MAX_ROWS", most_rows)
    assert export(store, "dataset", tmp_path / "d", options={"by": by, "columns": "own"}).count == len(URLS)
    files = f"{tmp_path}/d/*/*.parquet"
    with closing(sqlite3.connect(store)) as stored:
        expected = stored.execute(
            "SELECT count(*), sum(page.id), sum(body_bytes) FROM page LEFT JOIN fetch ON page = id"
        ).fetchone()
    with duckdb.connect() as database:
        read = database.execute(
            f"SELECT count(*), sum(page), sum(body_bytes) FROM read_parquet('{files}', hive_partitioning=true)"
        )
        assert read.fetchone() == expected
    frame = pl.read_parquet(files, hive_partitioning=True)
    assert (len(frame), frame["page"].sum(), frame["body_bytes"].sum()) == expected
    assert set(frame["url"]) == set(URLS.values())
    folders = {path.name for path in (tmp_path / "d").iterdir()}
    names = {"a.test", "b.test"} if by == "host" else {"2023-11-14", "__HIVE_DEFAULT_PARTITION__"}
    assert folders == {f"{key}={name}" for name in names}


def test_a_divided_folder_may_have_the_columns_of_common_crawl(store: Path, tmp_path: Path) -> None:
    import duckdb

    found = export(store, "dataset", tmp_path / "d", options={"by": "host", "columns": "common-crawl"})
    assert (found.count, found.left_out) == (len(URLS) - 1, {"not answered": 1})
    with duckdb.connect() as database:
        rows = database.execute(
            "SELECT url_surtkey, url_host_name, url_protocol, url_port, url_path, url_query, fetch_status,"
            f" content_mime_type FROM read_parquet('{tmp_path}/d/*/*.parquet', hive_partitioning=true) ORDER BY url"
        ).fetchall()
    assert ("test,a)/", "a.test", "http", None, "/", None, 200, "text/html") in rows
    assert ("test,b:8080)/", "b.test", "http", 8080, "/", None, 200, "text/html") in rows
    assert [row[5] for row in rows if row[4] == "/b"] == ["x=1&y='2'"]
