"""`simulate`: from a graph in a file or a store to a table, JSON and plots."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.policies import GRAPH_POLICIES
from tests.support.graph_files import random_web, write_graph
from tests.support.hinterland import crawled
from tests.support.in_process import complaint, said
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow


def test_it_tells_of_every_policy_how_near_it_came(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = random_web(tmp_path / "web")
    text = said(capsys, "simulate", web, "--local", "h1.test", "--iterations", 4)
    assert text.startswith("web h1.test: 40 local pages, ")
    rows = {line.split()[0]: line.split() for line in text.splitlines() if "crawled-graph" in line}
    assert list(rows) == list(GRAPH_POLICIES)
    for row in rows.values():
        assert row[1:3] == ["crawled-graph", "40"]
        assert 0 < float(row[3]) < 2
        assert len(row[6]) == 5


def test_json_keeps_every_figure_and_what_it_takes_to_have_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    web, first, second = random_web(tmp_path / "web"), tmp_path / "1.json", tmp_path / "2.json"
    command = ("simulate", web, "--local", "h1.test", "--policies", "random, indegree", "--seed", 7, "--budget", 0.5)
    more = ("--estimators", "crawled-graph", "--iterations", 4)
    text = said(capsys, *command, *more, "--json", first)
    said(capsys, *command, *more, "--json", second)
    assert first.read_text() == second.read_text()
    kept: dict[str, Any] = json.loads(first.read_text())
    assert set(kept["made_by"]) == {"hinterland", "python", "numpy", "numba"}
    assert kept["parameters"] == {
        "graph": str(web),
        "local": "h1.test",
        "policies": ["random", "indegree"],
        "estimators": ["crawled-graph"],
        "budget": 0.5,
        "iterations": 4,
        "seed": 7,
        "virtual_clock": False,
        "latency_seconds": None,
        "plugins": [],
    }
    assert kept["domain"]["pages"] == 40
    for policy in ("random", "indegree"):
        crawl = kept["crawls"][policy]
        assert [each["outside"] for each in crawl["measurements"]] == [0, 5, 10, 15, 20]
        assert len(crawl["crawled"]) == 60
        assert f"{crawl['measurements'][-1]['distances']['crawled-graph']['l1']:.4f}" in text


def test_plots_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web, curves, points = random_web(tmp_path / "web"), tmp_path / "curves.svg", tmp_path / "points.png"
    text = said(
        capsys, "simulate", web, "--local", "h1.test", "--iterations", 2, "--plot", curves, "--influence-plot", points
    )
    assert "<svg" in curves.read_text()
    assert "indegree" in curves.read_text() or "<!-- indegree -->" in curves.read_text()
    assert points.read_bytes().startswith(b"\x89PNG")
    assert "Kendall's τ-b" in text


def test_without_matplotlib_a_plot_is_refused_at_once_and_all_else_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    web = random_web(tmp_path / "web")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    command = ("simulate", web, "--local", "h1.test", "--policies", "bfs", "--iterations", 1)
    said(capsys, *command)
    assert "a plot needs matplotlib" in complaint(capsys, *command, "--plot", tmp_path / "x.svg")


def test_the_virtual_clock_tells_the_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web, kept = random_web(tmp_path / "web"), tmp_path / "kept.json"
    command = ("simulate", web, "--local", "h1.test", "--policies", "bfs", "--virtual-clock", "--iterations", 2)
    text = said(capsys, *command, "--latency", 0.5, "--json", kept)
    assert "clock" in text
    crawl = json.loads(kept.read_text())["crawls"]["bfs"]
    assert len(crawl["crawled"]) == 80
    assert crawl["measurements"][-1]["seconds"] > 16  # five hosts, a second of rest after each of 80 visits


async def test_a_store_is_a_graph_of_the_pages_that_were_visited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, kept = tmp_path / "s.db", tmp_path / "kept.json"
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", links=["/1", "/d/2", ("b.test", "/")])
        web.page("a.test", "/1", links=["/d/2", "/"])
        web.page("a.test", "/d/2", links=["/d/3", "/gone"])
        web.page("a.test", "/d/3", links=["/"])
        await crawled(web, store, seed)
        folder = web.url("a.test", "/d/")
    said(capsys, "simulate", store, "--local", folder, "--policies", "bfs", "--budget", 1, "--json", kept)
    found = json.loads(kept.read_text())
    assert found["domain"]["pages"] == 2
    assert found["domain"]["graph_pages"] == 4  # neither /gone nor the page at b.test, whose links nobody knows
    assert found["domain"]["graph_links"] == 6
    assert found["domain"]["frontier"] == 1
    assert "there are no outside pages to crawl" in complaint(capsys, "simulate", store)


def test_an_early_end_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urls = ["http://a.test/", "http://a.test/1", "http://b.test/"]
    web = write_graph(tmp_path / "web", [(0, 1), (1, 0), (1, 2), (2, 0)], 3, urls=urls)
    text = said(capsys, "simulate", web, "--local", "a.test", "--policies", "bfs,dfs", "--budget", 2)
    assert "Ended before 4 pages, with no reachable page left: bfs, dfs." in text


def test_wrong_names_are_answered_with_right_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = random_web(tmp_path / "web")
    local = ("simulate", web, "--local", "h1.test")
    nearest = 'there is no policy "indegre"; the nearest is "indegree"'
    assert nearest in complaint(capsys, *local, "--policies", "indegre")
    assert "All of them: outside-model, crawled-graph" in complaint(capsys, *local, "--estimators", "x")
    assert "no policy is named" in complaint(capsys, *local, "--policies", ",")
    assert "similar hosts are h1.test" in complaint(capsys, "simulate", web, "--local", "h1.tst")
    assert "choose them with --local" in complaint(capsys, "simulate", web)
    assert "there are no outside pages to crawl" in complaint(capsys, "simulate", web, "--local", "test")
    assert ".svg, .png, .pdf" in complaint(capsys, *local, "--plot", tmp_path / "x.gif")
    assert "there is no folder" in complaint(capsys, *local, "--plot", tmp_path / "no" / "x.svg")
    assert "there is no folder" in complaint(capsys, *local, "--json", tmp_path / "no" / "x.json")


def test_a_result_replaces_only_an_earlier_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = random_web(tmp_path / "web")
    quick = ("simulate", web, "--local", "h1.test", "--policies", "bfs", "--iterations", 1)
    for option, name in (("--json", "mine.db"), ("--plot", "mine.svg")):
        file = tmp_path / name
        file.write_bytes(b"SQLite format 3\0")
        assert "is not an earlier result" in complaint(capsys, *quick, option, file)
        assert file.read_bytes() == b"SQLite format 3\0"
    assert "is a folder" in complaint(capsys, *quick, "--json", tmp_path)
    for _ in range(2):
        said(capsys, *quick, "--json", tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["domain"]["name"]


def test_any_seed_and_any_budget_will_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = random_web(tmp_path / "web")
    quick = ("simulate", web, "--local", "h1.test", "--policies", "bfs,random", "--iterations", 1)
    said(capsys, *quick, "--seed", "-5", "--budget", "1e308")
    said(capsys, *quick, "--seed", 2**63 - 1, "--virtual-clock")


def test_what_is_no_graph_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = complaint(capsys, "simulate", tmp_path / "none", "--local", "x")
    assert "there is no graph at" in nothing
    assert "or a link store" in nothing
    other = tmp_path / "other.db"
    other.write_bytes(b"SQLite format 3\0" + b"x" * 100)
    assert "other.db" in complaint(capsys, "simulate", other, exit_code=3)


def test_a_domain_that_links_nowhere_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    web = write_graph(
        tmp_path / "web", [(0, 1), (2, 0)], 3, urls=["http://a.test/", "http://a.test/1", "http://b.test/"]
    )
    assert "nothing to choose" in complaint(capsys, "simulate", web, "--local", "a.test")
