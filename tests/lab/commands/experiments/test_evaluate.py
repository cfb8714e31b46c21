"""`evaluate`: tables over all local domains of small graphs."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from hinterland.cli import main
from hinterland.cli.exit_codes import USAGE
from tests.support.full_disk import write_to_full_disk
from tests.support.graph_files import random_web, write_graph
from tests.support.hinterland import line_with, start
from tests.support.in_process import complaint, said

LONG = ("--policies", "indegree", "--iterations", "80", "--budgets", "5")
RULE = ("--estimators", "crawled-graph", "--min-pages", 30, "--min-frontier", 5, "--min-distance", 0.001)


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    """A folder with two graphs."""
    random_web(tmp_path / "graphs" / "first", seed=1)
    random_web(tmp_path / "graphs" / "second", seed=2, hosts=4)
    return tmp_path / "graphs"


def test_the_domains_that_keep_the_rule_are_listed(graphs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "evaluate", graphs, "--list", *RULE)
    listed = re.findall(r"(first|second) h\d\.test +([AB]) +40 ", text)
    assert [name for name, _ in listed] == ["first"] * 5 + ["second"] * 4
    assert [half for _, half in listed].count("A") == 5
    assert "crawled-graph" not in text


@pytest.mark.slow
def test_json_and_markdown_keep_what_the_tables_say(
    graphs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, markdown = tmp_path / "e.json", tmp_path / "e.md"
    options = ("--policies", "indegree,random", "--budgets", "0.5,1", "--iterations", 3, "--seed", 2)
    text = said(capsys, "evaluate", graphs, *RULE, *options, "--json", kept, "--markdown", markdown)
    found: dict[str, Any] = json.loads(kept.read_text())
    assert found["parameters"]["policies"] == ["indegree", "random"]
    assert found["parameters"]["budgets"] == [0.5, 1.0]
    assert found["parameters"]["iterations"] == 3
    assert found["parameters"]["seed"] == 2
    assert found["parameters"]["min_pages"] == 30
    assert len(found["domains"]) == 9
    assert len(found["trials"]) == 9 * 2 * 2
    assert {trial["outside"] for trial in found["trials"] if trial["budget"] == 0.5} == {20}
    assert len(found["summaries"]) == 4
    pages = markdown.read_text()
    for trial in found["trials"]:
        cells = next(line for line in pages.splitlines() if line.startswith(f"| {trial['domain']} |"))
        assert cells
        assert f"{trial['distance']['l1']:.4f}" in text
        assert f"{trial['distance']['l1']:.4f}" in pages
    for summary in found["summaries"]:
        assert f"{summary['means']['all']:.4f}" in text
    best = [each["means"]["all"] for each in found["summaries"] if each["budget"] == 1.0]
    assert best == sorted(best)
    assert pages.startswith("# Policies and estimators compared\n")
    assert "3 iterations, 1 draw from seed 2 on" in pages
    assert "## All strategies after 0.5 n outside pages" in pages


def test_domains_of_an_earlier_evaluation_can_be_left_out(
    graphs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "e.json"
    said(capsys, "evaluate", graphs / "first", *RULE, "--policies", "bfs", "--iterations", 1, "--json", kept)
    text = said(capsys, "evaluate", graphs, "--list", *RULE, "--except", kept)
    assert re.findall(r"(first|second) h\d\.test", text) == ["second"] * 4
    others = tmp_path / "others.json"
    said(capsys, "evaluate", graphs / "second", *RULE, "--policies", "bfs", "--iterations", 1, "--json", others)
    assert "no local domain" in complaint(capsys, "evaluate", graphs, *RULE, "--except", kept, "--except", others)
    assert "No such file" in complaint(capsys, "evaluate", graphs, "--except", tmp_path / "none.json")
    kept.write_text("[1]")
    assert "not a file that `evaluate --json` wrote" in complaint(capsys, "evaluate", graphs, "--except", kept)


@pytest.mark.slow
async def test_several_processes_find_what_one_finds(graphs: Path, tmp_path: Path) -> None:
    """Started as a program: a pool in this process would leave a helper of its own behind."""
    options = (*RULE, "--policies", "indegree,bfs", "--budgets", "1", "--iterations", 2)
    results = []
    for processes in (1, 2):
        kept = tmp_path / f"{processes}.json"
        command = map(str, ("evaluate", graphs, *options, "--processes", processes, "--json", kept))
        evaluate = await start(*command)
        _, errors = await evaluate.communicate()
        assert evaluate.returncode == 0, errors
        results.append(json.loads(kept.read_text())["trials"])
    assert results[0] == results[1]


def test_draws_are_repetitions_with_seeds_of_their_own(
    graphs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (*RULE, "--policies", "bfs", "--budgets", "1", "--iterations", 2)
    kept: dict[tuple[int, int], list[dict[str, Any]]] = {}
    for seed, draws in ((4, 2), (4, 1), (5, 1)):
        said(capsys, "evaluate", graphs / "first", *options, "--seed", seed, "--draws", draws, "--json", tmp_path / "e")
        kept[seed, draws] = json.loads((tmp_path / "e").read_text())["trials"]
    for both, one, other in zip(kept[4, 2], kept[4, 1], kept[5, 1], strict=True):
        assert both["draws"] == one["draws"] + other["draws"]
        assert one["draws"] != other["draws"]
        assert both["distance"]["l1"] == pytest.approx((one["distance"]["l1"] + other["distance"]["l1"]) / 2)


def test_a_domain_simulated_alone_comes_out_as_in_the_evaluation(
    graphs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    all_of_them, alone = tmp_path / "all.json", tmp_path / "alone.json"
    options = ("--policies", "indegree", "--iterations", 4)
    said(capsys, "evaluate", graphs / "first", *RULE, *options, "--budgets", "1", "--json", all_of_them)
    said(capsys, "simulate", graphs / "first", "--local", "h2.test", *options, "--json", alone)
    (trial,) = (each for each in json.loads(all_of_them.read_text())["trials"] if each["domain"] == "first h2.test")
    last = json.loads(alone.read_text())["crawls"]["indegree"]["measurements"][-1]
    assert trial["distance"]["l1"] == pytest.approx(last["distances"]["crawled-graph"]["l1"], abs=1e-8)


def test_domains_that_are_solved_are_named_and_left_out(graphs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = (*RULE, "--policies", "indegree", "--budgets", "1", "--iterations", 1)
    text = said(capsys, "evaluate", graphs / "first", *options, "--solved-below", 5)
    assert "any sensible strategy solves them: first h0.test, first h1.test," in text
    assert "All strategies" not in text
    assert "solves them" not in said(capsys, "evaluate", graphs / "first", *options, "--solved-below", 0)


@pytest.mark.parametrize("option", ["--json", "--markdown"])
def test_a_file_that_cannot_be_written_is_named(
    option: str, graphs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "write_text", write_to_full_disk)
    options = ("--policies", "indegree", "--budgets", 1, "--iterations", 2, option, tmp_path / "result")
    assert main(list(map(str, ("evaluate", graphs, *RULE, *options)))) == USAGE
    assert f"{tmp_path / 'result'} cannot be written: No space left on device" in capsys.readouterr().err


def test_wrong_budgets_rules_and_folders_are_errors(
    graphs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is a folder" in complaint(capsys, "evaluate", graphs, "--json", tmp_path)
    assert "is a folder" in complaint(capsys, "evaluate", graphs, "--markdown", tmp_path)
    assert "numbers with commas" in complaint(capsys, "evaluate", graphs, "--budgets", "1;2")
    assert "above 0" in complaint(capsys, "evaluate", graphs, "--budgets", "0,1")
    assert "satisfies the limits" in complaint(capsys, "evaluate", graphs, "--min-pages", 1000)
    (tmp_path / "empty").mkdir()
    assert "holds no graph" in complaint(capsys, "evaluate", tmp_path / "empty")
    with pytest.raises(SystemExit):
        main(["evaluate", str(graphs), "--processes", "0"])
    assert "at least 1" in capsys.readouterr().err
    write_graph(tmp_path / "again" / "first", [], 0)
    random_web(tmp_path / "again" / "first", seed=3)
    assert "two local domains are called 'first h0.test'" in complaint(
        capsys, "evaluate", graphs / "first", tmp_path / "again" / "first", *RULE
    )


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["1", "2"])
async def test_ctrl_c_ends_it_at_once_without_a_traceback(tmp_path: Path, processes: str) -> None:
    web = random_web(tmp_path / "web", hosts=40, pages=300)
    rule = list(map(str, RULE))
    evaluate = await start("evaluate", str(web), *rule, *LONG, "--processes", processes)
    await line_with(evaluate.stderr, "1 of 40 experiments done")
    evaluate.send_signal(signal.SIGINT)
    out, errors = await evaluate.communicate()
    assert evaluate.returncode == 130
    assert out == b""
    assert b"Traceback" not in errors


@pytest.mark.slow
async def test_a_process_that_is_killed_is_no_bug_of_ours(tmp_path: Path) -> None:
    web = random_web(tmp_path / "web", hosts=40, pages=300)
    rule = list(map(str, RULE))
    evaluate = await start("evaluate", str(web), *rule, *LONG, "--processes", "2", is_itself=True)
    await line_with(evaluate.stderr, "1 of 40 experiments done")
    os.kill(workers_of(evaluate.pid)[0], signal.SIGKILL)
    _, errors = await evaluate.communicate()
    assert evaluate.returncode == 2
    assert b"was killed" in errors
    assert b"Traceback" not in errors


def workers_of(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path("/proc", child, "cmdline").read_bytes()]
