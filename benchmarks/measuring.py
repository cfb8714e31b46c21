"""Runs a command, on one core if wanted, and measures what it cost, its child processes included. Linux only."""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SAMPLE_SECONDS: Final = 0.05
_ORPHANS_MAY_LIVE_SECONDS: Final = 10.0
_PR_SET_CHILD_SUBREAPER: Final = 36


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run of a command took.

    cpu_seconds: user and system time of the process and all its descendants. peak_pss_mb: the largest sum
    over the process tree seen in samples every SAMPLE_SECONDS of the proportional set size (memory shared
    by k processes counts 1/k in each); peak_rss_mb: the same of the resident set size, which counts what
    parent and children share once for each. MB are 10^6 bytes.
    """

    cpu_seconds: float
    wall_seconds: float
    peak_pss_mb: float
    peak_rss_mb: float
    exit_code: int
    output: str
    errors: str


def measure(command: Sequence[str], *, cpu: int | None, cwd: Path) -> Cost:
    """Run a command pinned to one core (None: on all of them); whatever it starts inherits the core and counts too.

    Orphans it leaves behind come to us, so that their time is not lost; those that do not end are killed.
    No other child of this process may end meanwhile.
    """
    _adopt_orphans(True)
    own_cpus = os.sched_getaffinity(0)
    cpus = own_cpus if cpu is None else {cpu}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        os.sched_setaffinity(0, cpus)
        try:
            process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        finally:
            os.sched_setaffinity(0, own_cpus - cpus or own_cpus)
        peak_pss, peak_rss = 0, 0
        while process.poll() is None:
            sizes = [memory_of(pid) for pid in descendants(os.getpid())]
            peak_pss = max(peak_pss, sum(pss for pss, _ in sizes))
            peak_rss = max(peak_rss, sum(rss for _, rss in sizes))
            time.sleep(SAMPLE_SECONDS)
        wall = time.perf_counter() - started
        _reap_orphans()
        output.seek(0)
        errors.seek(0)
        texts = output.read(), errors.read()
    os.sched_setaffinity(0, own_cpus)
    _adopt_orphans(False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(
        cpu_seconds=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
        wall_seconds=wall,
        peak_pss_mb=peak_pss / 1e6,
        peak_rss_mb=peak_rss / 1e6,
        exit_code=process.returncode,
        output=texts[0],
        errors=texts[1],
    )


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes below a process that are still alive when they are reached."""
    for thread in threads(pid):
        try:
            children = [int(child) for child in (thread / "children").read_text().split()]
        except OSError:
            continue
        for child in children:
            yield child
            yield from descendants(child)


def threads(pid: int) -> list[Path]:
    """Return the folders of the threads of a process; none if it has ended."""
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def command_lines() -> Iterator[tuple[int, bytes]]:
    """All processes, and their words as Linux has them, a zero byte after each."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                yield int(folder.name), (folder / "cmdline").read_bytes()
            except OSError:  # it has ended meanwhile
                continue


def memory_of(pid: int) -> tuple[int, int]:
    """(proportional, resident) set size in bytes; nothing for a process that is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0, 0
    sizes = {line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines[1:]}
    return sizes.get("Pss", 0), sizes.get("Rss", 0)


def _adopt_orphans(adopt: bool) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _reap_orphans() -> None:
    deadline = time.monotonic() + _ORPHANS_MAY_LIVE_SECONDS
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            if time.monotonic() > deadline:
                for orphan in list(descendants(os.getpid())):
                    os.kill(orphan, 9)
            time.sleep(SAMPLE_SECONDS)
