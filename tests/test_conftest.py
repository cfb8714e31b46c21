"""The rules that tests/conftest.py lays on every test, tried on a small suite of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]

SUITE = """
import socket
import subprocess
import sys
import pytest

def test_reaches_out_and_hides_it():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    except OSError:
        pass

def test_looks_up_a_name_and_hides_it():
    try:
        socket.getaddrinfo("a.example", 80)
    except OSError:
        pass

async def test_reaches_out_as_a_coroutine(tmp_path):
    import aiohttp
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientError):
            await session.get("http://192.0.2.1/")

def test_skips():
    pytest.skip("too lazy")

def test_passes_over_loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1])).close()

async def test_passes_as_a_coroutine(tmp_path):
    assert tmp_path.exists()

def test_starts_a_process_that_keeps_what_it_compiles_in_the_environment():
    command = [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"]
    kept = subprocess.run(command, capture_output=True, text=True).stdout.split()
    assert kept == ["False", sys.prefix + "/pycache"]
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The line of the summary that names each test."""
    folder = tmp_path_factory.mktemp("suite")
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    (folder / "test_suite.py").write_text(SUITE)
    options = ["-rA", "--no-header", "-p", "no:cacheprovider", "-p", "no:asyncio"]
    result = subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=folder,
        env={**os.environ, "CI": "true", "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    lines = [line for line in result.stdout.splitlines() if "test_suite.py::" in line]
    return {line.partition("::")[2].split()[0]: line for line in lines}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["reaches_out_and_hides_it", "looks_up_a_name_and_hides_it", "reaches_out_as_a_coroutine"]
)
def test_a_test_that_reaches_for_the_network_fails(report: dict[str, str], name: str) -> None:
    assert report[f"test_{name}"].startswith("FAILED")
    assert "no network but loopback" in report[f"test_{name}"]


def test_a_skip_fails_in_ci(report: dict[str, str]) -> None:
    assert report["test_skips"].startswith("FAILED")


def test_loopback_and_coroutines_are_fine(report: dict[str, str]) -> None:
    assert report["test_passes_over_loopback"].startswith("PASSED")
    assert report["test_passes_as_a_coroutine"].startswith("PASSED")


def test_what_processes_compile_is_kept_outside_the_tree_whatever_the_callers_environment_says(
    report: dict[str, str],
) -> None:
    assert report["test_starts_a_process_that_keeps_what_it_compiles_in_the_environment"].startswith("PASSED")
