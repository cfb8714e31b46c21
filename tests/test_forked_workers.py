"""Tests that run in forked processes say what they say in one, whatever happens to the processes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting_tests import TestQueue

SUITE = """
import os
import signal
import sys
import pytest

with open("collected.txt", "a") as log:
    log.write("once\\n")

@pytest.fixture(scope="module")
def made_once():
    with open("set up.txt", "a") as log:
        log.write(f"{os.getpid()}\\n")
    yield
    with open("torn down.txt", "a") as log:
        log.write(f"{os.getpid()}\\n")

@pytest.mark.parametrize("number", range(10))
def test_good(made_once, number, tmp_path):
    (tmp_path / "mine").touch(exist_ok=False)

kept = sys.stderr

def test_bad():
    print("said before it failed")
    print("said to what was kept", file=kept)
    assert "left" == "right"

def test_skipped():
    pytest.skip("not today")
"""
CRASHES = """
import os
import signal

def test_before(): pass
def test_exits(): os._exit(3)
def test_is_killed(): os.kill(os.getpid(), signal.SIGKILL)
def test_after(): pass
"""


def ran(folder: Path, *options: str, **suites: str) -> subprocess.CompletedProcess[str]:
    """`pytest --workers 2` of these files."""
    for name, suite in suites.items():
        (folder / f"test_{name}.py").write_text(suite, encoding="utf-8")
    plugins = ["-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "tests.support.forked_workers"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-rA", "--no-header", *plugins, "--workers", "2", *options],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
    )


def outcomes(output: str) -> dict[str, str]:
    """How each test of the summary ended."""
    return {
        name: outcome for outcome, name in re.findall(r"^(PASSED|FAILED|ERROR) \S+::test_(\S+)", output, re.MULTILINE)
    }


@pytest.mark.slow
def test_every_test_runs_once_and_says_what_it_says_in_one_process(tmp_path: Path) -> None:
    done = ran(tmp_path, suite=SUITE, other="def test_elsewhere(): pass")
    assert done.returncode == 1
    good = {f"good[{number}]": "PASSED" for number in range(10)}
    assert outcomes(done.stdout) == {**good, "bad": "FAILED", "elsewhere": "PASSED"}
    assert "1 failed, 11 passed, 1 skipped" in done.stdout
    assert "said before it failed" in done.stdout.partition("Captured stdout call")[2]
    assert "said to what was kept" in done.stdout.partition("Captured stderr call")[2]
    assert "'left' == 'right'" in done.stdout
    assert "not today" in done.stdout
    assert (tmp_path / "collected.txt").read_text() == "once\n"
    processes = (tmp_path / "set up.txt").read_text().split()
    assert len(set(processes)) == len(processes) <= 2
    assert sorted((tmp_path / "torn down.txt").read_text().split()) == sorted(processes)


@pytest.mark.slow
def test_a_process_that_dies_fails_the_test_that_it_ran_and_no_other(tmp_path: Path) -> None:
    done = ran(tmp_path, crashes=CRASHES)
    assert outcomes(done.stdout) == {"before": "PASSED", "exits": "FAILED", "is_killed": "FAILED", "after": "PASSED"}
    assert "test_exits ended with exit code 3" in done.stdout
    assert "test_is_killed ended by signal 9" in done.stdout


@pytest.mark.slow
def test_it_stops_when_asked_to_after_a_failure(tmp_path: Path) -> None:
    many = "".join(f"def test_{number}(): assert not {number}\n" for number in range(1, 100))
    done = ran(tmp_path, "--maxfail=1", many=many)
    assert done.returncode == 1
    assert 1 <= len(outcomes(done.stdout)) < 10
    assert re.search(r"stopping after \d failures", done.stdout)


def test_a_process_goes_on_with_its_file_then_takes_another_then_helps() -> None:
    long, short = Path("long"), Path("short")
    queue = TestQueue([long, short, long, long, long])
    assert queue.take(None) == (0, long)
    assert queue.take(None) == (1, short)
    assert queue.take(long) == (2, long)
    assert queue.take(short) == (4, long)  # from the end
    queue.put_back(4, long)
    assert queue.take(long) == (4, long)
    assert queue.take(long) == (3, long)
    assert queue.take(long) is None
