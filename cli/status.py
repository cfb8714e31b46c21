"""`status`: shows the state of the crawl in a store."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.cli.command_parser import CommandParser, add_store
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.library.text.extraction_text import extraction_lines
from hinterland.library.text.failure_lines import failure_lines
from hinterland.library.text.gates_text import gate_lines
from hinterland.library.text.limits_text import told_now
from hinterland.library.text.reach_text import reach_lines
from hinterland.library.text.rendering_text import rendering_lines
from hinterland.library.text.signals_text import signals_as_json, signals_lines
from hinterland.library.text.slowed_text import slowed_lines
from hinterland.library.text.status_text import head, hosts_section, pages_section, runs_section
from hinterland.library.text.wording import json_text
from hinterland.library.unjoined_shards import unjoined_shards
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.values.runs import RunState, state_of

if TYPE_CHECKING:
    from hinterland.storage.values.history import StoredSignals
    from hinterland.storage.values.reach import NofollowReport, StartReport

EXAMPLES = """\
examples:
  python3 run.py status                     show the state of the crawl in hinterland.db, also while it runs
  python3 run.py status big.db --json       the same for a program

It only reads, and never slows a crawl down. A store of a million pages takes a few seconds.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `status`."""
    add_store(command)
    command.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace) -> int:
    """Print the state of a crawl or, before they are joined, of its shards; returns the exit code."""
    output = Output(sys.stdout)
    path = Path(arguments.store)
    if parts := unjoined_shards(path):
        _write_parts(parts, arguments, output)
        return OK
    with reading(path) as store:
        if arguments.json:
            output.write(json_text(_as_json(store)))
        else:
            _write(store, arguments.store, output)
    return OK


def _write_parts(parts: Mapping[int, Path], arguments: Namespace, output: Output) -> None:
    """Print the state of the shards of a crawl that have not been joined."""
    from hinterland.library.text.shards_text import ShardReport, shards_lines

    reports, values = [], []
    for part, path in parts.items():
        with reading(path) as store:
            state = store.shard_state()
            counts = store.pages.counts()
            reports.append(ShardReport(part + 1, counts, state, store.size_bytes(), store.last_written()))
            if arguments.json:
                values.append(_as_json(store))
    if arguments.json:
        output.write(json_text({"store": arguments.store, "parts": values}))
        return
    for line in shards_lines(arguments.store, reports, time.time()):
        output.write(line)


def _write(store: StoreReader, name: str, output: Output) -> None:
    """Write the state of a store.

    What can be read immediately is written first, since counting the pages of a large store takes a few seconds.
    """
    runs = store.runs.newest()
    now = time.time()
    fresh = store.history.freshness(now)
    output.write(
        head(
            name=name,
            size_bytes=store.size_bytes(),
            written_at=store.last_written(),
            runs=runs,
            process=store.holder,
            now=now,
            freshness=fresh,
        )
    )
    output.write(pages_section(store.pages.counts()))
    hosts = store.hosts.report(store.hosts.waiting())
    output.write(hosts_section(hosts, time.time()))
    extracted, slowed, failures = store.extractions.reports(), store.hosts.slowed(), store.pages.failures()
    reached = reach_lines(*_reach(store))
    rendered = rendering_lines(store.pages.renderings())
    signals = signals_lines(*_signals(store))
    kept_from = (*reached, *rendered, *slowed_lines(slowed))
    for line in (*extraction_lines(extracted), *kept_from, *signals, *failure_lines(failures)):
        output.write(line)
    for line in gate_lines(failures, hosts):
        output.write(line)
    output.write(runs_section(runs, store.runs.count()))


def _reach(store: StoreReader) -> tuple[list[StartReport], NofollowReport | None]:
    """Return the start pages from which no link leads on, and the pages that nofollow left out."""
    return store.reach.dead_starts(), store.reach.left_by_nofollow()


def _signals(store: StoreReader) -> tuple[list[str], list[StoredSignals]]:
    """Return the URLs of hosts, and how reliably each announces its changes."""
    signals = store.history.signals()
    urls = store.hosts.urls() if signals else []
    return [urls[each.host] for each in signals], signals


def _as_json(store: StoreReader) -> dict[str, object]:
    runs, fresh = store.runs.newest(), store.history.freshness(time.time())
    starts, left = _reach(store)
    return {
        "store": str(store.path),
        "size_bytes": store.size_bytes(),
        "time": time.time(),
        "state": state_of(runs, store.holder),
        "running_process": store.holder,
        "bound": told_now(runs[0].progress) if runs and runs[0].state is RunState.RUNNING else None,
        "pages": asdict(store.pages.counts()),
        "freshness": None if fresh is None else asdict(fresh),
        "hosts": asdict(store.hosts.report(store.hosts.waiting())),
        "extracted": [asdict(each) for each in store.extractions.reports()],
        "renderings": [asdict(each) for each in store.pages.renderings()],
        "signals": [{"host": host, **signals_as_json(each)} for host, each in zip(*_signals(store), strict=True)],
        "dead_starts": [asdict(each) for each in starts],
        "left_by_nofollow": None if left is None else asdict(left),
        "slowed": [asdict(each) for each in store.hosts.slowed()],
        "failures": [asdict(each) for each in store.pages.failures()],
        "runs": [asdict(each) for each in runs],
    }
