"""The servers of a cell, which die, fall silent and come back: two of the web and one that looks names up."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from benchmarks.farm import REPOSITORY
from benchmarks.faults.web import FIRST, SECOND, WebPlan, status_file
from tests.support.web import Request

_ADDRESS_RECORD: Final = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x01\x00\x04"
"""The record of a DNS answer: the name asked for, type A, class IN, a TTL of a second, four octets."""


class WebServer:
    """One process that serves the hosts of one address."""

    def __init__(self, plan: WebPlan, address: str, log: Path) -> None:
        """Prepare the server; it is not started yet."""
        self._command = [
            *(sys.executable, "-m", "benchmarks.faults.web", json.dumps(asdict(plan))),
            *(address, str(log)),
        ]
        self._log = log
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the server, and wait until it is ready. Raises RuntimeError."""
        self._process = subprocess.Popen(self._command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            raise RuntimeError(f"a server did not start: {self._command}")

    def kill(self) -> None:
        """Stop the server: from now on connections are refused."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def stop(self) -> None:
        """Suspend the server: from now on the system accepts connections, and nothing answers."""
        self._send(signal.SIGSTOP)

    def go_on(self) -> None:
        """Continue after a stop."""
        self._send(signal.SIGCONT)

    def answer_all_with(self, status: int | None) -> None:
        """None: as it should be again."""
        if status is not None:
            status_file(self._log).write_text(str(status))
        self._send(signal.SIGUSR2 if status is None else signal.SIGUSR1)

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)


class Servers:
    """Both servers of the web, and their logs."""

    def __init__(self, plan: WebPlan, folder: Path) -> None:
        """Prepare both servers; their logs are in the folder."""
        self._logs = [folder / f"{name}.log" for name in ("first", "second")]
        self.first, self.second = (
            WebServer(plan, address, log) for address, log in zip((FIRST, SECOND), self._logs, strict=True)
        )

    @property
    def both(self) -> tuple[WebServer, WebServer]:
        """Both servers."""
        return self.first, self.second

    def requests(self) -> int:
        """How many have been answered."""
        return sum(log.read_bytes().count(b"\n") for log in self._logs if log.exists())

    def requested(self, host: str | None = None) -> list[Request]:
        """Return the answered requests of one host or all; times are seconds of time.monotonic()."""
        lines = [line for log in self._logs if log.exists() for line in log.read_text("utf-8").splitlines()]
        requests = [Request(**json.loads(line)) for line in lines]
        return [request for request in requests if host in (None, request.host)]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run both servers while the block runs."""
        try:
            for server in self.both:
                server.start()
            yield
        finally:
            for server in self.both:
                server.kill()


class NameServer:
    """Answers every question for an IPv4 address from a table, over UDP; knows nothing else.

    A name that it does not have does not exist. `override` is answered to all, while it is set.
    """

    def __init__(self, addresses: dict[str, str], address: str = "127.0.0.53", port: int = 53) -> None:
        """Prepare a name server for these addresses; `override` replaces all answers."""
        self._addresses = addresses
        self._place = address, port
        self._socket: socket.socket | None = None
        self.override: str | None = None

    def start(self) -> None:
        """Start answering in a thread."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(self._place)
        threading.Thread(target=self._serve, args=(self._socket,), daemon=True).start()

    def stop(self) -> None:
        """Stop answering: nothing listens at the port any more."""
        if self._socket is not None:
            with suppress(OSError):  # never connected, but it wakes who waits
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            self._socket = None

    def _serve(self, sock: socket.socket) -> None:
        while True:
            try:
                question, asker = sock.recvfrom(1500)
                if not question:  # it was shut down
                    return
                sock.sendto(self._answer(question), asker)
            except OSError:
                return

    def _answer(self, question: bytes) -> bytes:
        labels, at = [], 12
        while question[at]:
            labels.append(question[at + 1 : at + 1 + question[at]].decode("ascii"))
            at += 1 + question[at]
        asked, end = int.from_bytes(question[at + 1 : at + 3]), at + 5
        address = self._addresses.get(".".join(labels).lower())
        found = self.override or address if asked == 1 and address else None
        code = b"\x81\x80" if address else b"\x81\x83"
        head = question[:2] + code + b"\x00\x01" + (1 if found else 0).to_bytes(2) + bytes(4)
        return head + question[12:end] + (_ADDRESS_RECORD + socket.inet_aton(found) if found else b"")


class Job:
    """A command of Hinterland, in a process group of its own."""

    def __init__(self, command: list[str], said: Path) -> None:
        """Start a command in a session of its own; its output goes to `said`."""
        self.said = said
        environment = {**os.environ, "HINTERLAND_NO_SETUP": "1"}
        with said.open("wb") as output:
            self._process = subprocess.Popen(
                command, cwd=REPOSITORY, stdout=output, stderr=output, start_new_session=True, env=environment
            )

    @property
    def is_running(self) -> bool:
        """Whether the command still runs."""
        return self._process.poll() is None

    def send(self, number: signal.Signals, *, to_group: bool = False) -> None:
        """Send a signal to the process or to its group, if it still runs."""
        if self.is_running:
            (os.killpg if to_group else os.kill)(self._process.pid, number)

    def children(self) -> list[int]:
        """Return the ids of running processes that it started."""
        return [pid for pid in _group(self._process.pid) if pid != self._process.pid]

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, or None if the command had not ended by then and was killed."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self) -> None:
        """Kill the whole process group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def leaves_nobody(self, seconds: float = 15.0) -> bool:
        """Whether all that it had started has ended, too, soon after it."""
        deadline = time.monotonic() + seconds
        while _group(self._process.pid):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def _group(number: int) -> list[int]:
    """Return the processes of a process group that are no zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            pid, rest = stat.parent.name, stat.read_text().rpartition(")")[2].split()
            if int(rest[2]) == number and rest[0] not in "ZX":
                found.append(int(pid))
    return found
