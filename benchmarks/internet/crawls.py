"""Runs a crawl inside a box: starts network, names, web and crawl, and asks the crawl to stop after a time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.internet.network import Box, Side, open_box
from benchmarks.internet.world import World
from benchmarks.measuring import descendants, memory_of

_REPOSITORY: Final = Path(__file__).resolve().parents[2]
_SAMPLE_SECONDS: Final = 1.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class BoxFailed(Exception):
    """A program of the box did not start or did not end, in words."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of one run lie. authority: of the certificates."""

    folder: Path

    @property
    def seeds(self) -> Path:
        """The file of the seeds."""
        return self.folder / "seeds.txt"

    @property
    def store(self) -> Path:
        """The file of the store."""
        return self.folder / "crawl.db"

    @property
    def settings(self) -> Path:
        """The file of the settings."""
        return self.folder / "box.toml"

    @property
    def authority(self) -> Path:
        """The certificate of the authority that the crawl trusts."""
        return self.folder / "certificates" / "authority.pem"

    @property
    def requests(self) -> Path:
        """The log of the requests."""
        return self.folder / "requests.tsv"

    @property
    def questions(self) -> Path:
        """The log of the DNS questions."""
        return self.folder / "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Stage:
    """A command of a run, and the share of the time that it gets before it is asked to stop."""

    command: Sequence[str]
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """What a crawler says about a failing host.

    `kind` is that of the failure. A host that `is_given_up` gets no more requests; `is_over` says that it has answered
    since.
    """

    host: str
    kind: str
    detail: str = ""
    is_given_up: bool = False
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class Contestant:
    """A crawler: its command lines, and how its failures are read. cwd: where it runs."""

    name: str
    stages: Callable[[World, Place], list[Stage]]
    failures: Callable[[Place], list[Failure]]
    cwd: Path = _REPOSITORY


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions of a crawl.

    It gets `seconds`, its rate is measured from `window_begin` on, and it may take `patience` seconds to end. A CPU of
    None stands for any of them.
    """

    seconds: float
    window_begin: float
    crawl_cpu: int | None = 0
    server_cpu: int | None = 1
    patience: float = 60.0
    farm: Path | None = None


@dataclass(frozen=True, slots=True)
class Sample:
    """What a crawl with all its processes had used by a moment. memory: bytes, proportional."""

    at: float
    cpu_seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class Run:
    """A finished crawl.

    `begin`, `asked_to_stop` and `end` are monotonic seconds. `cpu_seconds` is the CPU time of all its processes. Exit
    codes are those of its commands, negative if they had to be killed; `output` is the last that it printed.
    """

    name: str
    place: Place
    begin: float
    asked_to_stop: float
    end: float
    cpu_seconds: float
    samples: list[Sample]
    exit_codes: list[int]
    output: str
    counters: Path
    tally: str = ""
    failures: list[Failure] = field(default_factory=list)


def seeds_of(world: World) -> list[str]:
    """Return the roots of all hosts, in an order that does not follow their kinds."""
    return [world.host_url(host) for host in world.hosts]


def run_in_box(world: World, contestant: Contestant, conditions: Conditions, folder: Path) -> Run:
    """Run a crawl of a world in a new box. Raises BoxFailed, BoxUnusable or LinkUnusable."""
    if folder.exists() and any(folder.iterdir()):
        raise BoxFailed(f"{folder} holds the files of another run; name another folder or empty it")
    folder.mkdir(parents=True, exist_ok=True)
    place = Place(folder)
    place.seeds.write_text("\n".join(seeds_of(world)) + "\n", encoding="utf-8")
    with _on_core(conditions.server_cpu), open_box(world, folder / "box") as box:
        names = [sys.executable, "-m", "benchmarks.internet.names", str(box.world_file), "--log", str(place.questions)]
        asking = _started(box, names, "the name server")
        web = [sys.executable, "-m", "benchmarks.internet.web", str(box.world_file), "--log", str(place.requests)]
        web += ["--certificates", str(place.authority.parent)]
        web += [] if conditions.farm is None else ["--farm", str(conditions.farm)]
        serving = _started(box, web, "the web server")
        run = _crawl(box, world, contestant, conditions, place)
        _ended(asking, conditions.patience, "the name server")
        tally = _ended(serving, conditions.patience, "the web server")
    return Run(
        **{name: getattr(run, name) for name in Run.__slots__ if name not in ("tally", "failures")},
        tally=tally.strip(),
        failures=contestant.failures(place),
    )


@contextmanager
def _on_core(cpu: int | None) -> Iterator[None]:
    """Pin the processes started in the block to this core."""
    own = os.sched_getaffinity(0)
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, own)


def _started(box: Box, command: Sequence[str], what: str) -> subprocess.Popen[bytes]:
    process = box.popen(command, Side.WEB, cwd=_REPOSITORY, stdout=subprocess.PIPE)
    assert process.stdout is not None
    if not (said := process.stdout.readline()).startswith(b"ready"):
        raise BoxFailed(f"{what} did not start: {said.decode(errors='replace').strip() or 'it said nothing'}")
    return process


def _ended(process: subprocess.Popen[bytes], patience: float, what: str) -> str:
    """End a program of the box, and return what it printed."""
    if process.poll() is not None:
        raise BoxFailed(f"{what} ended with code {process.returncode} during the crawl")
    process.terminate()
    try:
        printed, _ = process.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        raise BoxFailed(f"{what} did not end within {patience:g} s of being asked to") from None
    if process.returncode:
        raise BoxFailed(f"{what} ended with code {process.returncode}")
    return printed.decode(errors="replace")


def _crawl(box: Box, world: World, contestant: Contestant, conditions: Conditions, place: Place) -> Run:
    used = _ended_cpu_seconds()
    samples: list[Sample] = []
    exit_codes: list[int] = []
    begin = asked_to_stop = time.monotonic()
    with (place.folder / "output.txt").open("w+", encoding="utf-8", errors="replace") as output:
        for stage in contestant.stages(world, place):
            pin = [] if conditions.crawl_cpu is None else ["taskset", "-c", str(conditions.crawl_cpu)]
            process = box.popen(
                [*pin, *stage.command],
                Side.CRAWLER,
                cwd=contestant.cwd,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=output.fileno(),
                stderr=output.fileno(),
            )
            until = time.monotonic() + conditions.seconds * stage.share
            _watch(process, until, samples, _ended_cpu_seconds() - used)
            asked_to_stop = time.monotonic()
            exit_codes.append(_stop(process, conditions.patience))
        output.seek(0)
        text = output.read()
    end = time.monotonic()
    cpu = _ended_cpu_seconds() - used
    return Run(
        name=contestant.name,
        place=place,
        begin=begin,
        asked_to_stop=asked_to_stop,
        end=end,
        cpu_seconds=cpu,
        samples=samples,
        exit_codes=exit_codes,
        output=text[-4_000:],
        counters=box.counters_file,
    )


def environment() -> Mapping[str, str]:
    """Return the environment of a crawl, without settings of the crawler or a proxy; it never installs anything."""
    left_out = ("HINTERLAND_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(left_out)}
    return kept | {"HINTERLAND_NO_SETUP": "1"}


def _watch(process: subprocess.Popen[bytes], until: float, samples: list[Sample], before: float) -> None:
    """Take samples until a time, or until the crawl ends by itself. before: CPU seconds of its earlier commands."""
    while (left := until - time.monotonic()) > 0:
        try:
            process.wait(min(left, _SAMPLE_SECONDS))
        except subprocess.TimeoutExpired:
            samples.append(_sample(process.pid, before))
        else:
            return


def _stop(process: subprocess.Popen[bytes], patience: float) -> int:
    """Interrupt a crawl as Ctrl-C does, and wait; interrupt it again at half of the patience, kill it at its end."""
    for _ in range(2):
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            return process.wait(patience / 2)
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    return process.wait()


def _ended_cpu_seconds() -> float:
    """Return the CPU seconds of all our children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sample(pid: int, before: float) -> Sample:
    processes = [pid, *descendants(pid)]
    memory = sum(memory_of(each)[0] for each in processes)
    return Sample(time.monotonic(), before + sum(map(_cpu_seconds, processes)), memory)


def _cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process and of children that it has waited for; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS
