"""Commands of Hinterland, each in a process forked of the fuzzer: nothing is imported again, and any may be killed."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch

from benchmarks.crawl_fuzzer.shown import show
from hinterland.cli.commands import main
from hinterland.crawler.fetching.retry_rules import RETRY_RULES
from hinterland.crawler.urls.public_suffixes import public_suffix
from tests.support.crawling import InlineParsers

SHORTER: Final = 600.0
"""How many times sooner failed pages are tried again; those waits are no settings."""
_POLL_SECONDS: Final = 0.002
_MODULES: Final = (
    "cli.crawl.command", "cli.recrawl", "cli.import_", "cli.extract", "cli.status",
    "library.crawling", "library.archives", "library.extraction", "cli.changes",
    "crawler.fetching.names.dns", "crawler.parsing.extraction.extractor", "crawler.parsing.pool.hook_loading",
    "crawler.parsing.changes.comparing", "storage.reading.extractions", "storage.reading.history",
    "storage.reading.hosts", "storage.reading.links", "storage.reading.pages", "storage.reading.runs",
    "storage.reading.topics",
)  # fmt: skip
"""Modules of the package `hinterland`."""
_OTHERS: Final = ("encodings.cp1252", "numpy.ma")
"""What commands import only once they need it."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """Signals to send, one after the other, after a number of requests."""

    requests: int
    signals: Sequence[int]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; `code` is negative for a signal, None if it was killed because it did not end."""

    command: Sequence[str]
    code: int | None
    out: str
    err: str
    seconds: float
    was_interrupted: bool = False


def prepare() -> None:
    """Read what commands need, once for all of them."""
    for name in (*(f"hinterland.{module}" for module in _MODULES), *_OTHERS):
        importlib.import_module(name)
    public_suffix("a.test")  # reads the list of suffixes
    gc.freeze()


def carried_out(
    command: Sequence[str],
    folder: Path,
    *,
    in_processes: bool = False,
    interruption: Interruption | None = None,
    requests: Callable[[], int] = lambda: 0,
    limit: float = 300.0,
) -> Ended:
    """Run a command line until it has ended; besides those of Hinterland there is "show".

    With `in_processes`, pages are parsed in processes of their own as in production, not in the crawl's. `requests`
    returns how many requests the server has received so far. After `limit` seconds the command counts as hanging.
    """
    out, err = folder / "out.txt", folder / "err.txt"
    began = time.monotonic()
    process = os.fork()
    if not process:
        _be_command(command, out, err, in_processes=in_processes)
    pending = list(interruption.signals) if interruption is not None else []
    was_interrupted, status, due = False, None, 0.0
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        now = time.monotonic()
        if ended:
            break
        if interruption is not None and pending and requests() >= interruption.requests and now >= due:
            os.kill(process, pending.pop(0))
            was_interrupted, due = True, now + 0.02
        if now - began > limit:
            os.kill(process, signal.SIGUSR1)  # it writes where it stands
            time.sleep(0.5)
            os.killpg(process, signal.SIGKILL)
            os.waitpid(process, 0)
            return Ended(command, None, _text(out), _text(err), now - began, was_interrupted)
        time.sleep(_POLL_SECONDS)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)  # parsers that a kill has orphaned
    code = os.waitstatus_to_exitcode(status)
    return Ended(command, code, _text(out), _text(err), time.monotonic() - began, was_interrupted)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _be_command(command: Sequence[str], out: Path, err: Path, *, in_processes: bool) -> None:
    code = 70
    try:
        os.setsid()
        for path, number in ((out, 1), (err, 2)):
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(opened, number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        faulthandler.register(signal.SIGUSR1, all_threads=True)
        faulthandler.enable()
        _make_quick(in_processes=in_processes)
        code = show(Path(command[1])) if command[0] == "show" else main(list(command))
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:  # as the interpreter does at its end
        import traceback

        traceback.print_exc()
        code = 1
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _make_quick(*, in_processes: bool) -> None:
    """Shorten what no setting shortens. The waits before failed pages; and a process for a few small pages."""
    rules = cast(dict[Any, Any], RETRY_RULES.listed)
    for kind, rule in list(rules.items()):
        rules[kind] = replace(rule, wait_seconds=rule.wait_seconds / SHORTER)
    if in_processes:
        return
    crawl_run = importlib.import_module("hinterland.library.crawls.crawl_run")
    patch.object(crawl_run, "run_crawl", partial(crawl_run.run_crawl, pool=InlineParsers)).start()
    for name in ("hinterland.library.importing.importing", "hinterland.library.extracting.extracting"):
        patch.object(importlib.import_module(name), "ParserPool", InlineParsers).start()
