"""A page that hangs, kills its process or raises costs only itself."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hinterland.search.index.extraction import Batch, digests
from hinterland.search.main_content import HostProfile
from hinterland.search.store.values.documents import Digest, RawContent
from hinterland.storage.values.compression import packed, unpacked
from tests.support.digesters import DIES, HANGS, RAISES, misbehaving
from tests.support.extraction_process import PROCESSES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def raw(page: int, url: str = "http://a.test/") -> RawContent:
    body = packed(f"<html><body><nav>Menu</nav><main><p>{'main text ' * 20}{page}</p></main></body></html>")
    return RawContent(page, 0, page + 1, url, "utf-8", "en", packed(f"menu, and visible text {page}"), body)


def read(*batches: list[RawContent], processes: int | None = None, seconds: float = 60.0) -> list[Digest]:
    """processes: one where they need not be beside each other; to start one takes over a second of CPU time."""
    given: Iterator[Batch] = ((batch, {0: HostProfile()}) for batch in batches)
    reading = digests(given, digester=misbehaving, batch_seconds=seconds, page_seconds=seconds, processes=processes)
    return [each for batch in reading for each in batch]


def test_pages_are_read_in_the_order_in_which_they_came() -> None:
    found = read(*[[raw(2 * number), raw(2 * number + 1)] for number in range(12)])
    assert [each.page for each in found] == list(range(24))
    assert all(each.extraction == "main" for each in found)
    assert unpacked(found[7].text).endswith("7")


def test_a_page_that_dies_or_raises_costs_only_itself() -> None:
    found = read([raw(0), raw(1, DIES), raw(2)], [raw(3), raw(4, RAISES)], [raw(5)], processes=1)
    assert [each.page for each in found] == list(range(6))
    assert [each.page for each in found if each.extraction == "failed"] == [1, 4]
    assert unpacked(found[1].text) == "menu, and visible text 1"
    assert found[1].key == 2


def test_a_page_that_hangs_costs_only_itself() -> None:
    found = read([raw(0), raw(1, HANGS)], [raw(2)], processes=1, seconds=2.0)
    assert [each.page for each in found] == [0, 1, 2]
    assert found[1].extraction == "failed"


def test_a_caller_who_stops_early_waits_for_nothing() -> None:
    listening = digests(iter([([raw(0)], {}), ([raw(1, HANGS)], {})]), digester=misbehaving, processes=1)
    assert [each.page for each in next(iter(listening))] == [0]
    listening.close()  # type: ignore[attr-defined]  # a generator


def test_no_process_outlives_a_builder_that_was_killed() -> None:
    command = [sys.executable, "-m", "tests.support.extraction_process"]
    builder = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert builder.stdout is not None
        assert sorted(builder.stdout.readline() for _ in range(PROCESSES)) == [b"0\n", b"1\n"]
        builder.kill()
        builder.communicate(timeout=120)  # until all have ended that have its output open: itself and those it started
    finally:
        with suppress(ProcessLookupError):
            os.killpg(builder.pid, signal.SIGKILL)
        builder.wait()


def test_no_pages_are_no_digests() -> None:
    assert read() == []


def test_a_process_killed_before_it_reads_costs_no_page_and_not_the_build() -> None:
    def batches() -> Iterator[Batch]:
        yield [raw(0), raw(1)], {}
        killed = set[int]()
        while not killed:
            for child in multiprocessing.active_children():
                if child.pid is not None:
                    os.kill(child.pid, signal.SIGKILL)
                    killed.add(child.pid)
        yield [raw(2)], {}

    found = [each for batch in digests(batches(), processes=1) for each in batch]
    assert [each.page for each in found] == [0, 1, 2]
    assert all(each.extraction == "main" for each in found)
