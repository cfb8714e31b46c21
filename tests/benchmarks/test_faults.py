"""A few cells of the fault matrix, those that need no network of their own, and what its harness is made of."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.faults.cell import Cell, Seen, carry_out, undisturbed
from benchmarks.faults.comparison import compare_history, compare_stores
from benchmarks.faults.kinds import FAULTS
from benchmarks.faults.modes import MODES
from benchmarks.faults.report import Matrix, as_markdown
from benchmarks.faults.servers import NameServer
from benchmarks.faults.skewed import Skew
from benchmarks.faults.web import FIRST, SECOND, WebPlan

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SPEED = 30.0
REST = 0.06


def free_port() -> int:
    """One that is free at both addresses."""
    while True:
        with socket.create_server((FIRST, 0)) as listening, suppress(OSError):
            port = int(listening.getsockname()[1])
            with socket.create_server((SECOND, port)):
                return port


def cell(folder: Path, calm: Path, plan: WebPlan) -> Cell:
    # Timeouts as long as shipped, in true seconds: others work on the machine, too.
    return Cell(MODES["bfs"], folder, plan, calm=calm, speed=SPEED, rest=REST, patience=SPEED)


@pytest.fixture(scope="module")
def plan() -> WebPlan:
    return WebPlan(free_port(), hosts=4, pages_per_host=10)


@pytest.fixture(scope="module")
def calm(plan: WebPlan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with an undisturbed crawl, which the others must equal."""
    folder = tmp_path_factory.mktemp("calm")
    seen = carry_out(undisturbed, cell(folder / "bfs", folder, plan))
    assert seen.lost == []
    return folder


@pytest.mark.parametrize(
    "kind",
    [
        "all servers refuse 60 s",
        "server of 7 of 8 hosts answers 502 60 s",
        "allow_networks forgotten on resume",
        pytest.param("clock +400 d before", marks=pytest.mark.thorough),  # regular runs: tests/test_leaping_clock.py
    ],
)
def test_a_crawl_loses_nothing_to_a_fault(kind: str, plan: WebPlan, calm: Path, tmp_path: Path) -> None:
    seen = carry_out(FAULTS[kind].happen, cell(tmp_path / "cell", calm, plan))
    assert seen.lost == []


# --- the harness: what it would not see would be promised for nothing ---------------------------


def tampered(store: Path, copy: Path, statement: str) -> Path:
    """A copy of a store, changed."""
    with closing(sqlite3.connect(store)) as connection, closing(sqlite3.connect(copy)) as target:
        connection.backup(target)
        target.execute(statement)
        target.commit()
    return copy


@pytest.mark.parametrize(
    "statement, said",
    [
        ("UPDATE page SET state = 'failed' WHERE id = 0", "1 pages differ (1: fetched → failed)"),
        ("DELETE FROM link WHERE source = 0", "links missing"),
        ("UPDATE fetch SET outcome = 'connect_failure', status = NULL WHERE page = 0", "→ connect_failure"),
        ("DELETE FROM content WHERE page = 0", "1 texts missing"),
        ("UPDATE fetch SET page = 1000000 WHERE page = 0", "references lead nowhere"),
    ],
)
def test_what_is_lost_is_seen(statement: str, said: str, calm: Path, tmp_path: Path) -> None:
    store = calm / "bfs" / "work" / "crawl.db"
    assert compare_stores(store, tampered(store, tmp_path / "same.db", "SELECT 1")) == []
    found = compare_stores(store, tampered(store, tmp_path / "other.db", statement))
    assert said in "; ".join(found)


def test_history_that_is_lost_or_too_much_is_seen(calm: Path, tmp_path: Path) -> None:
    store = calm / "bfs" / "work" / "crawl.db"
    more = tampered(store, tmp_path / "more.db", "INSERT INTO change (page, at, kind) VALUES (0, 1, 'gone')")
    assert compare_history(more, more) == []
    assert "1 changes missing" in compare_history(more, store)[0]
    assert "1 changes too many" in compare_history(store, more)[0]


def test_a_store_that_is_not_there_is_seen(calm: Path, tmp_path: Path) -> None:
    assert compare_stores(calm / "bfs" / "work" / "crawl.db", tmp_path / "none.db") == ["there is no store"]


def test_a_clock_is_shifted_and_runs_faster(tmp_path: Path) -> None:
    shift = tmp_path / "shift"
    skew = Skew(epoch=1000.0, speed=30.0, shift=str(shift))
    assert skew.at(1010.0) == 1300.0
    shift.write_text("-86400")
    assert skew.at(1010.0) == 1300.0 - 86400


def test_the_event_loop_of_a_crawl_lives_by_the_skewed_clock() -> None:
    program = (
        "import asyncio, json, sys, time; from benchmarks.faults.skewed import Skew, install;"
        " true = time.monotonic; began = true(); install(Skew(**json.loads(sys.argv[1]))); import uvloop;"
        " from hinterland.crawler.fetching.client import event_loop;"
        " uvloop.run(asyncio.sleep(300), loop_factory=event_loop.CrawlLoop); print(true() - began)"
    )
    command = [sys.executable, "-c", program, json.dumps(asdict(Skew(time.time(), 1000.0)))]
    took = float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    assert took < 300


def test_names_are_answered_denied_and_overridden() -> None:
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as asker:
        asker.bind((FIRST, 0))
        port = free_port()
        names = NameServer({"a.test": "127.0.0.9"}, FIRST, port)
        names.start()
        try:

            def ask(name: str) -> bytes:
                labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
                asker.sendto(b"\x12\x34\x01\x00\x00\x01" + bytes(6) + labels + b"\0\0\1\0\1", (FIRST, port))
                return asker.recv(512)

            assert ask("a.test")[-4:] == bytes([127, 0, 0, 9])
            assert ask("b.test")[3] & 15 == 3
            names.override = "10.0.0.1"
            assert ask("a.test")[-4:] == bytes([10, 0, 0, 1])
        finally:
            names.stop()


def test_the_matrix_names_what_was_lost() -> None:
    matrix = Matrix(["a", "b"], ["bfs", "index"], 30.0, {"a": "nothing", "b": "all"})
    matrix.cells = {
        ("a", "bfs"): Seen(ends=[-9, 0]),
        ("b", "bfs"): Seen(ends=[8], lost=["1 pages missing, e.g. http://a.test/"]),
        ("b", "index"): Seen(ends=[0]),
    }
    matrix.senseless = {("a", "index"): "makes no requests"}
    lines = as_markdown(matrix).splitlines()
    assert lines[2] == "| a | nothing | equal (killed, 0) | – |"
    assert lines[3] == "| b | all | **lost**: 1 pages missing, e.g. http://a.test/ | equal (0) |"
    assert lines[-1] == "3 cells: 2 kept, 1 with something lost."
    assert matrix.lost == [("b", "bfs")]
