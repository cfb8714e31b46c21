"""`links` and `export --format bvgraph`: whole commands, and how they fail."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.support.graph_files import write_graph
from tests.support.in_process import complaint, said
from tests.support.stored_pages import Link, Page, write_store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pages = [
        Page(links=[Link(1), Link(2)]),
        Page(links=[Link(2)]),
        Page(links=[Link(0)], host=1),
    ]
    return write_store(tmp_path_factory.mktemp("links") / "s.db", pages)


def test_links_of_a_page_are_shown_both_ways(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "links", "HTTP://A.test:80/1", "--store", store).splitlines() == [
        "http://a.test/1 (page 1)",
        "  links to 1 page",
        "    http://b.test/2",
        "  is linked from 1 page",
        "    http://a.test/0",
    ]


def test_only_what_is_asked_for_is_shown(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "links", "0", "--store", store, "--out", "--remote", "--depth", "2", "--json")
    assert json.loads(told) == {"url": "http://a.test/0", "page": 0, "out": [["http://b.test/2"]]}
    told = said(capsys, "links", "0", "--store", store, "--out", "--limit", "1")
    assert "... and 1 more; --limit 2 shows them all" in told


def test_many_pages_are_asked_for_on_stdin(
    store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("http://a.test/0\n\n2\n"))
    lines = said(capsys, "links", "-", "--in", "--json", "--store", store).splitlines()
    assert [json.loads(line)["in"] for line in lines] == [
        [["http://b.test/2"]],
        [["http://a.test/0", "http://a.test/1"]],
    ]


def test_a_page_that_is_unknown_is_named_with_those_near_it(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = complaint(capsys, "links", "http://a.test/01", "--store", store)
    assert "s.db has no page http://a.test/01; next to it in the alphabet: http://a.test/0, http://a.test/1" in told
    told = complaint(capsys, "links", "a.test/01", "--store", store)
    assert "s.db has no page a.test/01; next to it in the alphabet: http://a.test/0, http://a.test/1" in told
    assert "has no page 3: it has 3 pages, numbered from 0" in complaint(capsys, "links", "3", "--store", store)


def test_an_export_answers_as_the_store_does(store: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "s.bvgraph"
    for more in ([], ["--force"]):
        said(capsys, "export", store, "--format", "bvgraph", "--output", folder, *more)
    first, second = (said(capsys, "links", "http://a.test/0", "--store", place) for place in (store, folder))
    assert first == second
    (folder / "graph-t.graph").unlink()
    assert "graph-t.graph" in complaint(capsys, "links", "0", "--store", folder)


def test_a_graph_without_urls_is_asked_by_number(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "g.bvgraph"
    said(capsys, "export", write_graph(tmp_path / "g", [(0, 1), (2, 1)], 3), "--format", "bvgraph", "--output", folder)
    assert said(capsys, "links", "1", "--in", "--store", folder).splitlines() == [
        "page 1", "  is linked from 2 pages", "    page 0", "    page 2",
    ]  # fmt: skip
    assert "has no URLs" in complaint(capsys, "links", "http://a.test/", "--store", folder)
    assert "hosts are unknown" in complaint(capsys, "links", "1", "--remote", "--store", folder)


@pytest.mark.parametrize(
    "options, message",
    [
        (["--what", "pages"], "it writes links"),
        (["--local-only"], "which writes all links"),
        (["--output", "-"], "a folder of files"),
    ],
)
def test_what_a_compressed_graph_cannot_hold_is_refused(
    options: list[str], message: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in complaint(capsys, "export", store, "--format", "bvgraph", *options)


def test_what_is_no_graph_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no graph")
    told = complaint(capsys, "links", "0", "--store", tmp_path / "notes.txt")
    assert "or a link store, or a folder of `export --format bvgraph`" in told
    assert not (tmp_path / "x.bvgraph").exists()
