"""Processes that are killed or stopped."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from benchmarks.faults.cell import PATIENCE, Cell, TooLate
from benchmarks.faults.kinds.fault import Fault
from benchmarks.faults.servers import Job

_KILLS: Final = 3
_START_SECONDS: Final = 1.5
"""Until a process that takes another's place reads pages. Three in a row that die before are the end of a crawl."""
_SERVER: Final = b"crawler.parsing.pool.fork_server"
_POOLED: Final = b"spawn_main"
"""A part of the command lines of pool processes.

These read pages for a crawl, an import or an index, or fork the processes that do.
"""


def kill_group(cell: Cell) -> None:
    """All processes at once, as by the system when it runs out of memory, or by closing a container."""
    _kill_again_and_again(cell, to_group=True)


def kill_main(cell: Cell) -> None:
    """Kill only the first process: the ones it started must notice."""
    _kill_again_and_again(cell, to_group=False)


def kill_parser(cell: Cell) -> None:
    """Kill a process that reads pages."""
    _kill_those(cell, _is_reader)


def kill_fork_server(cell: Cell) -> None:
    """Kill the process that forks parsers once; a new one starts when another parser is needed."""
    _kill_those(cell, _is_server, times=1)


def kill_both(cell: Cell) -> None:
    """So that the next one needs another server."""
    _kill_those(cell, _is_server, _is_reader)


def kill_writer(cell: Cell) -> None:
    """Kill the process as soon as a file of the result is seen to grow.

    The writer is a thread, so it cannot be killed alone.
    """
    job = cell.begin()
    for number in range(_KILLS):
        cell.wait_for_middle(job, cell.draw.uniform(0.15, 0.3) * (number + 1))
        _wait_for_a_write(cell, job)
        cell.kill(job)
        job = cell.go_on()
    cell.finish(job)


def stop_and_continue(cell: Cell) -> None:
    """SIGSTOP to all processes, SIGCONT after two minutes of the crawl's clock, as of a laptop that slept."""
    job = cell.begin()
    cell.wait_for_middle(job, 0.4)
    job.send(signal.SIGSTOP, to_group=True)
    time.sleep(4.0)
    job.send(signal.SIGCONT, to_group=True)
    cell.finish(job)


def terminate(cell: Cell) -> None:
    """SIGTERM, once: a first Ctrl-C."""
    job = cell.begin()
    cell.wait_for_middle(job, 0.4)
    cell.stop(job)
    cell.finish(cell.go_on())


def _kill_again_and_again(cell: Cell, *, to_group: bool) -> None:
    job = cell.begin()
    for number in range(_KILLS):
        cell.wait_for_middle(job, cell.draw.uniform(0.15, 0.3) * (number + 1))
        cell.kill(job, to_group=to_group)
        job = cell.go_on()
    cell.finish(job)


def _kill_those(cell: Cell, *kinds: Callable[[int], bool], times: int = _KILLS) -> None:
    """Kill one process of each kind, `times` times."""
    job = cell.begin()
    cell.wait_for_middle(job, 0.3)
    for _ in range(times if cell.mode.is_crawl else 1):  # what is no crawl starts none in the place of the last
        victims = [_one(job, kind) for kind in kinds]
        for pid in victims:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_START_SECONDS)
    cell.finish(job, resume=False)


def _one(job: Job, is_wanted: Callable[[int], bool]) -> int:
    deadline = time.monotonic() + PATIENCE
    while job.is_running and time.monotonic() < deadline:
        if found := [pid for pid in job.children() if is_wanted(pid)]:
            return found[0]
        time.sleep(0.002)
    raise TooLate("there was no such process")


def _is_server(pid: int) -> bool:
    """Return whether it is a fork server: its parent is of the same group, and no server itself."""
    parent = _parent(pid)
    with suppress(ProcessLookupError):
        return _SERVER in _command(pid) and _SERVER not in _command(parent) and os.getpgid(parent) == os.getpgid(pid)
    return False


def _is_reader(pid: int) -> bool:
    return _POOLED in _command(pid) or (_SERVER in _command(pid) and not _is_server(pid))


def _command(pid: int) -> bytes:
    """Empty once it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _parent(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def _wait_for_a_write(cell: Cell, job: Job) -> None:
    before = _files(cell.place.folder)
    while job.is_running and _files(cell.place.folder) == before:
        time.sleep(0.0002)


def _files(folder: Path) -> dict[str, tuple[int, int]]:
    found = {}
    for path in folder.rglob("*"):
        with suppress(OSError):
            known = path.stat()
            found[str(path)] = known.st_size, known.st_mtime_ns
    return found


_WHOLE: Final = "what was written stays whole; the same command"
_NO_SERVER: Final = {"index": "has no fork server"}
FAULTS: Final = (
    Fault("kill -9: group", f"{_WHOLE} with --resume goes on, and nothing is missing", kill_group),
    Fault("kill -9: main", f"{_WHOLE} with --resume goes on, and no process outlives it", kill_main),
    Fault("kill -9: writer, in a commit", f"{_WHOLE} with --resume goes on, and nothing is missing", kill_writer),
    Fault("kill -9: parser", "another takes its place; the failure is attributed to no page", kill_parser),
    Fault("kill -9: fork server", "parsers go on, and the next one comes of another", kill_fork_server, _NO_SERVER),
    Fault(
        "kill -9: parser and fork server",
        "others take their place; the failure is attributed to no page",
        kill_both,
        _NO_SERVER,
    ),
    Fault("SIGSTOP, SIGCONT", "it goes on by itself", stop_and_continue),
    Fault(
        "SIGTERM",
        "it finishes what is under way; --resume goes on",
        terminate,
    ),
)
