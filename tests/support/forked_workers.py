"""Runs the tests in processes that are forked once the tests are collected: `python3 -m tests` asks for `--workers 4`.

Collecting imports nearly everything, which takes each process of pytest-xdist ten to twenty seconds of CPU time. Forked
processes find it done. Each process works through one file after the other, so that what a file sets up is set up once;
when no other file is left, it helps with the file that has most tests left.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import traceback
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, Literal, NoReturn

import pytest
from _pytest.capture import FDCapture

from tests.support.waiting_tests import TestQueue


@dataclass(frozen=True, slots=True)
class Common:
    """What the processes that run tests have in common.

    folder: for files. until: the reading end of a pipe that ends when all of them have ended.
    """

    folder: Path
    until: int


_common: Final = list[Common]()


def common() -> Common | None:
    """What this process has in common with others; None if it runs all tests itself, or pytest-xdist started it."""
    return _common[0] if _common else None


def common_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder for what is made once for all processes; whoever makes it locks a file there."""
    if (others := common()) is not None:
        return others.folder
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--workers", type=int, default=0, help="run the tests in this many processes, forked when needed")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> Literal[True] | None:
    """Run the tests in processes, if the option says so and there is something to run."""
    number = session.config.getoption("workers")
    if not number or session.config.getoption("collectonly") or session.testsfailed or not session.items:
        return None  # to pytest's own loop
    _Workers(session).run(min(number, len(session.items)))
    return True


# --- the process that collected -------------------------------------------------------------------


@dataclass(eq=False)
class _Worker:
    """A process that runs tests. `given`: the tests that it has and has not finished; the first one runs."""

    number: int
    process: int
    connection: Connection
    given: deque[tuple[int, Path]] = field(default_factory=deque)
    last: Path | None = None


class _Workers:
    def __init__(self, session: pytest.Session) -> None:
        self._session, self._config = session, session.config
        self._queue = TestQueue(item.path for item in session.items)
        self._running: list[_Worker] = []
        factory: pytest.TempPathFactory = self._config._tmp_path_factory  # type: ignore[attr-defined] # no other way
        until, _ = os.pipe()  # whose other end each of the processes has
        _common.append(Common(factory.getbasetemp(), until))

    def run(self, number: int) -> None:
        threads = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
        assert not threads, f"collecting started threads, which a fork would not have: {threads}"
        if (terminal := self._config.pluginmanager.getplugin("terminalreporter")) is not None:
            terminal.showfspath = False  # the tests of several files end in turns
        try:
            for each in range(number):
                self._start(each)
            while self._running:
                for ready in wait([worker.connection for worker in self._running]):
                    self._hear(next(worker for worker in self._running if worker.connection is ready))
        finally:
            for worker in self._running:
                worker.connection.close()  # upon which it ends
            for worker in self._running:
                os.waitpid(worker.process, 0)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _start(self, number: int) -> None:
        ours, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if not process:
            for connection in (ours, *(worker.connection for worker in self._running)):
                connection.close()
            _work(self._session, theirs, number)
        theirs.close()
        self._running.append(_Worker(number, process, ours))

    def _hear(self, worker: _Worker) -> None:
        try:
            kind, *what = worker.connection.recv()
        except (EOFError, ConnectionResetError):
            self._end(worker)
            return
        hook = self._config.hook
        match kind:
            case "wants":
                self._give(worker)
            case "ended":
                worker.given.popleft()
            case "started":
                hook.pytest_runtest_logstart(nodeid=what[0], location=what[1])
            case "finished":
                hook.pytest_runtest_logfinish(nodeid=what[0], location=what[1])
            case "report":
                report = hook.pytest_report_from_serializable(config=self._config, data=what[0])
                hook.pytest_runtest_logreport(report=report)

    def _give(self, worker: _Worker) -> None:
        is_over = self._session.shouldfail or self._session.shouldstop
        taken = None if is_over else self._queue.take(worker.last)
        if taken is not None:
            worker.given.append(taken)
            worker.last = taken[1]
        worker.connection.send(taken[0] if taken is not None else None)

    def _end(self, worker: _Worker) -> None:
        """Forget a process that has ended; if that was in a test, report it, and let another go on."""
        self._running.remove(worker)
        worker.connection.close()
        _, status = os.waitpid(worker.process, 0)
        if not worker.given:
            return
        (number, _), *others = worker.given
        for each in others:
            self._queue.put_back(*each)
        item = self._session.items[number]
        code = os.waitstatus_to_exitcode(status)
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        self._config.hook.pytest_runtest_logreport(
            report=pytest.TestReport(
                nodeid=item.nodeid,
                location=item.location,
                keywords={},
                outcome="failed",
                longrepr=f"the process that ran {item.nodeid} ended {how}",
                when="call",
            )
        )
        self._start(worker.number)


# --- a process that runs tests ----------------------------------------------------------------------


class _Reporting:
    """A plugin that passes on what happens."""

    def __init__(self, config: pytest.Config, connection: Connection) -> None:
        self._config, self._connection = config, connection

    def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
        self._connection.send(("started", nodeid, location))

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        self._connection.send(("finished", nodeid, location))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._connection.send(("report", data))


def _work(session: pytest.Session, connection: Connection, number: int) -> NoReturn:
    """Run the tests that are given, then end this process, with all that it started."""
    code = 1
    try:
        folder = _common[0].folder / f"worker{number}"
        folder.mkdir(exist_ok=True)
        session.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined] # no other way
        _take_over(session.config, connection)
        _run(session, connection)
        _save_coverage()
        code = 0
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass  # the process that collected was stopped
    except BaseException:  # whatever it is, the process that collected must not go on twice
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _take_over(config: pytest.Config, connection: Connection) -> None:
    """Report to the process that collected instead of the terminal, and capture output in files of its own.

    The files get other contents and stay the same objects: a module may have kept sys.stderr when it was imported.
    """
    plugins = config.pluginmanager
    if (terminal := plugins.getplugin("terminalreporter")) is not None:
        plugins.unregister(terminal)
    plugins.register(_Reporting(config, connection))
    capture: Any = plugins.getplugin("capturemanager")
    for each in (capture._global_capturing.out, capture._global_capturing.err):
        if isinstance(each, FDCapture):
            with TemporaryFile() as own:
                os.dup2(own.fileno(), each.tmpfile.fileno(), inheritable=False)


def _run(session: pytest.Session, connection: Connection) -> None:
    def taken() -> pytest.Item | None:
        connection.send(("wants",))
        number = connection.recv()
        return None if number is None else session.items[number]

    item = taken()
    while item is not None:
        following = taken()  # what both need stays set up
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        connection.send(("ended",))
        item = following


def _save_coverage() -> None:
    """Save what `--cov` has measured in this process; the process that collected combines it."""
    if "coverage" in sys.modules and (measured := sys.modules["coverage"].Coverage.current()) is not None:
        measured.stop()
        measured.save()
