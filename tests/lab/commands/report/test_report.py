"""`report`: one page, and numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinterland.cli.commands import main
from hinterland.cli.exit_codes import STORE, USAGE
from tests.support.full_disk import write_to_full_disk
from tests.support.graph_files import random_web, write_graph
from tests.support.stored_pages import Link, Page, write_store

pytestmark = pytest.mark.slow


def test_a_stored_graph_becomes_a_page_and_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, out, numbers = random_web(tmp_path / "web"), tmp_path / "r.html", tmp_path / "r.json"
    assert main(["report", str(graph), "--out", str(out), "--json", str(numbers)]) == 0
    said = capsys.readouterr().out
    assert "200 pages crawled of 200 known" in said
    assert "Average distance" in said
    html = out.read_text("utf-8")
    assert "<h1>The graph of <bdi>web</bdi></h1>" in html
    assert "does not record the order in which" in html
    assert "h3.test" in html
    for needing in ("<script", "src=", "@import", "url(", "<link"):
        assert needing not in html
    assert len(html) < 1_000_000
    found = json.loads(numbers.read_text("utf-8"))
    assert found["crawled"] == 200
    assert found["made_by"]["hinterland"]
    assert main(["report", str(graph), "--out", str(out), "--json", str(numbers)]) == 0  # an earlier report is replaced
    assert json.loads(numbers.read_text("utf-8")) == found


def test_a_store_also_tells_its_course_and_its_dead_links(tmp_path: Path) -> None:
    pages = [Page(links=[Link((page + 1) % 30), Link((7 * page) % 30), Link(30)]) for page in range(30)]
    store = write_store(tmp_path / "s.db", [*pages, Page(outcome="client_error")])
    assert main(["report", str(store), "--out", str(tmp_path / "r.html"), "--json", str(tmp_path / "r.json")]) == 0
    html = (tmp_path / "r.html").read_text("utf-8")
    assert "30 links on 30 pages lead to 1 page that failed" in html
    assert "How the crawl found it" in html
    found = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert found["dead_links"]["pages"] == 1
    assert found["discovery"][-1]["visited"] == 30


@pytest.mark.parametrize(
    "out, complaint", [("taken.txt", "is not an earlier result"), ("nowhere/r.html", "there is no folder")]
)
def test_nothing_else_is_overwritten(
    out: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken.txt").write_text("mine")
    assert main(["report", str(random_web(tmp_path / "web")), "--out", str(tmp_path / out)]) == USAGE
    assert complaint in capsys.readouterr().err
    assert (tmp_path / "taken.txt").read_text() == "mine"


@pytest.mark.parametrize("options", [("--out",), ("--out", "r.html", "--json")])
def test_a_file_that_cannot_be_written_is_named(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = random_web(tmp_path / "web")
    monkeypatch.chdir(tmp_path)
    write_text = Path.write_text

    def write_some(path: Path, text: str, **encoding: str) -> int:
        return write_to_full_disk() if path.name == "full" else write_text(path, text, **encoding)

    monkeypatch.setattr(Path, "write_text", write_some)
    assert main(["report", str(graph), *options, "full"]) == USAGE
    assert "hinterland: full cannot be written: No space left on device" in capsys.readouterr().err


def test_what_cannot_be_measured_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "r.html")
    assert main(["report", str(tmp_path / "none"), "--out", out]) == USAGE
    assert "there is no graph at" in capsys.readouterr().err
    assert main(["report", str(write_graph(tmp_path / "empty", [], 0)), "--out", out]) == USAGE
    assert "has no crawled page" in capsys.readouterr().err
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 100)
    assert main(["report", str(tmp_path / "broken.db"), "--out", out]) == STORE
