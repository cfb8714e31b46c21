"""One cell of the matrix: a piece of work, the fault that happens to it, and what came of it."""

from __future__ import annotations

import json
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from benchmarks.faults.comparison import compare_stores, visited, waiting
from benchmarks.faults.modes import Mode, Place
from benchmarks.faults.servers import Job, NameServer, Servers
from benchmarks.faults.skewed import Skew
from benchmarks.faults.web import FORBIDDEN, WebPlan
from hinterland.crawler.settings import FetchingSettings
from hinterland.search.index.index_folder import default_folder

PATIENCE: Final = 150.0
"""Seconds, true ones, in which a command has to end that has nothing to wait for."""
_MOST_RESUMES: Final = 4
_ATTEMPTS: Final = 4
_HASTE: Final = 0.6
_UNFINISHED: Final = (5, 6, 7, 8, 9, 11, 12, 13)
"""Exit codes after which `crawl --resume` has something to do."""

SETTINGS: Final = """\
# As shipped, but for rests that let a crawl last long enough to be disturbed.
[politeness]
delay_seconds = {delay}
delay_factor = 0
[parsing]
processes = 1
timeout_seconds = 600  # the clock may run faster, but not the parser
[report]
interval_seconds = {interval}
[fetching]
connect_timeout_seconds = {connect}
tls_timeout_seconds = {handshake}
first_byte_timeout_seconds = {first_byte}
{addresses}
"""


class Lost(Exception):
    """A promise was broken; the message says what was lost."""


class TooLate(Lost):
    """The work had ended before the fault could happen. Nobody's fault if it was only quicker than expected."""


@dataclass(slots=True)
class Seen:
    """What happened in a cell. ends: exit codes of the commands, in their order; None: it had to be killed."""

    ends: list[int | None] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def is_kept(self) -> bool:
        """Whether nothing was lost."""
        return not self.lost


class Cell:
    """Mutable. What the faults have in hand: the work, the servers, and the clock that the work lives by."""

    def __init__(
        self,
        mode: Mode,
        folder: Path,
        plan: WebPlan,
        *,
        calm: Path | None,
        speed: float,
        rest: float = 1 / 6,
        patience: float = 1.0,
        seed: int = 1,
    ) -> None:
        """Prepare a cell; nothing runs yet.

        `calm` is the folder of the undisturbed works, with a folder for each mode. `rest` is that of a host between two
        visits, in true seconds. `patience` is the factor of the timeouts.
        """
        self.mode = mode
        self.plan = plan = replace(plan, edited=mode.edited)
        self.speed = speed
        self.folder = folder
        self.calm = calm
        self.rest_seconds, self._patience = rest, patience
        self.draw = random.Random(f"{seed} {mode.name}")
        self.place = Place(folder / "work")
        self.seen = Seen()
        self.haste = 1.0
        """What the moments of faults are multiplied by."""
        self.skew = Skew(time.time(), speed if mode.is_crawl else 1.0, str(folder / "shift"))
        folder.mkdir(parents=True, exist_ok=True)
        self.servers = Servers(plan, folder)
        self.names = NameServer(plan.addresses)
        self._settings = folder / "settings.toml"
        self.write_settings()

    # ---------------------------------------------------------------- the work

    def write_settings(self, *, with_addresses: bool = True) -> None:
        """Write the settings of the work."""
        pairs = ", ".join(f'"{host}" = "{address}"' for host, address in self.plan.addresses.items())
        addresses = f"addresses = {{ {pairs} }}" if with_addresses else ""
        shipped = FetchingSettings()
        text = SETTINGS.format(
            delay=self.speed * self.rest_seconds,
            interval=self.speed,
            connect=shipped.connect_timeout_seconds * self._patience,
            handshake=shipped.tls_timeout_seconds * self._patience,
            first_byte=shipped.first_byte_timeout_seconds * self._patience,
            addresses=addresses,
        )
        self._settings.write_text(text, encoding="utf-8")

    @property
    def calm_place(self) -> Place:
        """Where the undisturbed result of this mode lies."""
        assert self.calm is not None
        return Place(self.calm / self.mode.name / "work")

    @property
    def calm_facts(self) -> dict[str, float]:
        """Return the progress of the undisturbed work, and its true seconds."""
        facts: dict[str, float] = json.loads((self.calm_place.folder.parent / "facts.json").read_text())
        return facts

    def prepare(self, place: Place | None = None) -> None:
        """Prepare the files that the mode needs."""
        needed = Place(self.calm / self.mode.needs / "work") if self.calm and self.mode.needs else None
        self.mode.prepare(place or self.place, needed)

    def begin(self, *more: str, allow: bool = True) -> Job:
        """Start the work."""
        return self._start(self.mode.first(self.place, self.plan), more, allow)

    def go_on(self, *more: str, allow: bool = True) -> Job:
        """Continue the work."""
        return self._start(self.mode.again(self.place, self.plan), more, allow)

    def _start(self, command: Sequence[str], more: Sequence[str], allow: bool) -> Job:
        line = [*command, *more, "--settings", str(self._settings)]
        if self.mode.is_crawl and allow:
            line += ["--set", "fetching.allow_networks=127.0.0.0/8"]
        said = self.folder / f"said-{len(list(self.folder.glob('said-*')))}.txt"
        return Job([sys.executable, "-m", "benchmarks.faults.skewed", json.dumps(asdict(self.skew)), *line], said)

    def set_clock(self, shift: float) -> None:
        """Shift the clock by `shift` seconds from now on."""
        Path(self.skew.shift).write_text(str(shift))

    def wait_for_middle(self, job: Job, share: float) -> None:
        """Until the work has come about that far. Raises TooLate if it ended before."""
        facts, began = self.calm_facts, time.monotonic()
        share *= self.haste
        while True:
            if not job.is_running:
                raise TooLate(f"it ended by itself before the fault, with {job.wait(0)}: {last_words(job)}")
            if self.progress() >= share * facts["progress"]:
                return
            if time.monotonic() - began > PATIENCE:
                raise Lost(f"it has come no further in {PATIENCE:.0f} s")
            time.sleep(0.005)

    def progress(self) -> float:
        """How far the work has come: requests answered, pages in the store, or bytes of an index."""
        if self.mode.is_crawl:
            return self.servers.requests()
        if self.mode.name == "index":
            return size_of(default_folder(self.place.store).path)
        return visited(self.place.store)

    def rest(self, seconds: float) -> None:
        """Wait for `seconds` of the clock that the work runs by."""
        time.sleep(seconds / self.skew.speed)

    def ended(self, job: Job, *, within: float = PATIENCE) -> int | None:
        """Wait for the end, note the exit code. Raises Lost for bugs, and for what never ends or leaves processes."""
        code = job.wait(within)
        self.seen.ends.append(code)
        if code is None:
            raise Lost(f"it did not end in {within:.0f} s: {last_words(job)}")
        text = job.said.read_text(errors="replace")
        if code == 1 or "Traceback" in text:
            raise Lost(f"it ended as by a bug, with {code}: {last_words(job)}")
        if not job.leaves_nobody():
            raise Lost("it left processes behind")
        return code

    def kill(self, job: Job, *, to_group: bool = True) -> None:
        """Kill -9, of all of its processes or of the first one alone."""
        job.send(signal.SIGKILL, to_group=to_group)
        code = job.wait(PATIENCE)
        if code != -signal.SIGKILL:
            raise TooLate(f"it ended by itself before the fault, with {code}: {last_words(job)}")
        self.seen.ends.append(code)
        if not job.leaves_nobody():
            raise Lost("processes of its own outlived it")

    def stop(self, job: Job) -> None:
        """Ask it to stop, as Ctrl-C does, and wait until it has. A command that is no crawl just dies of it."""
        job.send(signal.SIGTERM)
        if self.mode.is_crawl:
            self.ended(job)
        else:
            self.seen.ends.append(job.wait(PATIENCE))
            job.leaves_nobody()

    def forget(self) -> None:
        """Have everything as at the beginning, for another attempt with an earlier fault."""
        self.haste *= _HASTE
        self.seen = Seen()
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        self.write_settings()

    def fresh(self) -> None:
        """Delete the result so far, and prepare to start again."""
        shutil.rmtree(self.place.folder)
        self.prepare()

    def command(self, *line: str) -> Job:
        """Any other command."""
        return self._start(line, (), False)

    def store_of(self, mode: str) -> Path:
        """Return the store of the undisturbed work in another mode."""
        assert self.calm is not None
        return Place(self.calm / mode / "work").store

    # ---------------------------------------------------------------- what came of it

    def finish(self, job: Job, *, resume: bool = True, retry: bool = False) -> None:
        """Let it end, resume it as long as there is more, and compare. Raises Lost.

        retry: at last, try again what has failed, if not all is there.
        """
        code = self.ended(job)
        resumes = 0
        while self._has_more(code) and resume and resumes < _MOST_RESUMES:
            code = self.ended(self.go_on())
            resumes += 1
        if resumes:
            self.claim(f"after {resumes} × --resume" if resumes > 1 else "after --resume")
        lost = self.differences()
        if lost and retry and self.mode.is_crawl:
            self.ended(self.go_on(*self.mode.retry))
            self.claim(" ".join(["after", *self.mode.retry] if self.mode.retry else ["after another one"]))
            lost = self.differences()
        if lost:
            self.seen.lost += lost
            raise Lost(f"exit code {code}")

    def _has_more(self, code: int | None) -> bool:
        """Return whether --resume has something to do.

        A crawl may end with 0 although pages outside its domain wait at hosts that were given up; its summary names
        them.
        """
        return self.mode.is_crawl and (code in _UNFINISHED or waiting(self.place.store) > 0)

    def differences(self) -> list[str]:
        """Return the differences from the undisturbed work."""
        return self.mode.compare(self.calm_place, self.place)

    def differences_but_forbidden(self) -> list[str]:
        """Return the differences, leaving out pages that robots.txt forbids."""
        return compare_stores(self.calm_place.store, self.place.store, but=FORBIDDEN)

    def claim(self, words: str, holds: bool = True) -> None:
        """Note what was seen; what does not hold is something lost."""
        (self.seen.claims if holds else self.seen.lost).append(words)


def size_of(folder: Path) -> int:
    """Bytes of all files in it, those left out that vanish meanwhile."""
    found = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            found += path.stat().st_size if path.is_file() else 0
    return found


def last_words(job: Job, characters: int = 300) -> str:
    """Return the end of what a job printed, on one line."""
    text = " ".join(job.said.read_text(errors="replace").split())
    return text[-characters:]


def carry_out(fault: Callable[[Cell], None], cell: Cell) -> Seen:
    """Serve the web, do the work, let the fault happen."""
    began = time.monotonic()
    for attempt in range(_ATTEMPTS):
        with cell.servers.running():
            try:
                cell.prepare()
                fault(cell)
            except TooLate as error:
                cell.seen.lost.append(str(error))
                if attempt + 1 < _ATTEMPTS:
                    cell.forget()
                    continue
            except Lost as error:
                cell.seen.lost.append(str(error))
        break
    cell.seen.seconds = time.monotonic() - began
    return cell.seen


def undisturbed(cell: Cell) -> None:
    """Do the work without a fault, and leave what `calm_facts` reads."""
    began = time.monotonic()
    job = cell.begin()
    code = cell.ended(job)
    if code != 0:
        raise Lost(f"the undisturbed work ended with {code}: {last_words(job)}")
    facts = {"progress": cell.progress(), "seconds": time.monotonic() - began}
    (cell.folder / "facts.json").write_text(json.dumps(facts))
