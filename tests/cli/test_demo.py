"""The demo: it finds all of its web, replaces its own store and nobody else's."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from hinterland.cli import main
from hinterland.cli.demo.truth import demo_truth
from hinterland.storage.link_store import LinkStore
from tests.support.crawling import rows, states


@pytest.mark.slow
def test_the_demo_crawls_all_of_its_web_and_says_what_to_do_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "demo.db"
    crawl_nothing(store, ["demo"])  # an earlier demo, which is replaced
    assert main(["demo", "--store", str(store)]) == 0
    said = capsys.readouterr().out
    truth = demo_truth()
    assert f"{len(truth.pages)} pages fetched from 12 hosts" in said
    assert f"python3 run.py status {store}" in said
    assert "python3 run.py crawl https://" in said
    counts = Counter(states(store).values())
    assert counts["refused"] == len(truth.forbidden)
    assert counts["redirected"] == len(truth.redirects)
    assert counts["failed"] == len(truth.missing)
    assert rows(store, "SELECT count(*) FROM run") == [(1,)]


def crawl_nothing(store: Path, command: list[str]) -> None:
    async def begin_and_end() -> None:
        async with LinkStore(store) as opened:
            run = await opened.begin_run(command, "{}", 1.0)
            await opened.end_run(run, "stopped", {}, 2.0)

    asyncio.run(begin_and_end())


def test_a_store_of_a_real_crawl_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "demo.db"
    crawl_nothing(store, ["demo"])
    crawl_nothing(store, ["crawl", "--resume"])
    before = store.read_bytes()
    assert main(["demo", "--store", str(store)]) == 3
    assert "was not made by the demo" in capsys.readouterr().err
    assert store.read_bytes() == before


def test_a_store_that_cannot_be_locked_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "demo.db"
    crawl_nothing(store, ["demo"])
    (tmp_path / "demo.db.lock").unlink()
    (tmp_path / "demo.db.lock").mkdir()
    assert main(["demo", "--store", str(store)]) == 3
    assert f"{store} cannot be replaced: " in capsys.readouterr().err


def test_a_file_that_is_no_store_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text("Dear reader")
    assert main(["demo", "--store", str(letter)]) == 3
    assert letter.read_text() == "Dear reader"
    assert "not replaced" in capsys.readouterr().err
