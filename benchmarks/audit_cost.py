"""What an audit of a large site costs, with all that a crawl with --check-links keeps in its store.

    python -m benchmarks.audit_cost STORE [--pages 100000] [--html FILE]
    python -m benchmarks.audit_cost --what-if LINKS

STORE is made if it is not there: a synthetic store (synthetic_store.py) whose fetched pages have the facts of an
average page of documentation: 6 files that a host's pages share and one of their own, 90 anchors, 20 links to anchors,
of which one in a hundred is broken, and a check of each file. One file in fifty is gone.

With --what-if, what is measured is the computation for a further link in a random graph of that many links, ten for
each page, whose ranks are known. Links lead to early pages more often than to late ones.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import random
import resource
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.synthetic_store import StorePlan, make_store
from hinterland.analysis.further_link import ranks_with_link
from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.features.page_facts.facts import ALTERNATES, ANCHORS, FACTS, REFERENCES, packed_ids
from hinterland.library.audit.auditing import audit
from hinterland.library.audit.reports.html_report import html_report

_ANCHORS, _FRAGMENTS, _SHARED = 90, 20, 6
_PAGES: Final = (
    "SELECT page.id, page.url, host.url FROM page JOIN fetch ON fetch.page = page.id JOIN host ON host.id = page.host"
    " WHERE is_local AND outcome = 'fetched' ORDER BY page.id"
)

Row = tuple[str, int, str]
"""Name of the table, page, and JSON of the fields."""


def add_facts(store: Path) -> None:
    """Give each fetched page of a store the records that a crawl with --check-links keeps."""
    dice = random.Random(1)
    with closing(sqlite3.connect(store, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        pages = connection.execute(_PAGES).fetchall()
        for name in (FACTS, REFERENCES, ANCHORS, ALTERNATES):
            connection.execute("INSERT INTO extraction VALUES (?, 1, '{}')", (name,))
        files = set[str]()
        connection.executemany("INSERT INTO record VALUES (?, ?, 1, ?)", _records(pages, files, dice))
        connection.executemany(
            "INSERT OR IGNORE INTO link_check (url, kind, outcome, checked_at, status, bytes, fields)"
            " VALUES (?, ?, ?, 0, ?, ?, ?)",
            (_check(url, dice) for url in sorted(files)),
        )
        connection.execute("COMMIT")


def _records(pages: list[tuple[int, str, str]], files: set[str], dice: random.Random) -> Iterator[Row]:
    ids = [f"part-{number}" for number in range(_ANCHORS)]
    anchors = base64.b64encode(packed_ids(ids)).decode()
    for page, _, host in pages:
        fields = {"images": 1, "images_without_alt": int(dice.random() < 0.02), "canonicals": 1, "has_viewport": True}
        yield FACTS, page, json.dumps(fields)
        images = [f"{host}/images/{page}.png"]
        shared = [f"{host}/files/{number}.js" for number in range(_SHARED)]
        files.update(images, shared)
        yield REFERENCES, page, json.dumps({"image": images, "script": shared})
        fragments = [
            (dice.choice(pages)[1], dice.choice(ids) if dice.random() > 0.01 else "gone") for _ in range(_FRAGMENTS)
        ]
        yield ANCHORS, page, json.dumps({"ids": anchors, "fragments": fragments})


def _check(url: str, dice: random.Random) -> tuple[str, str, str, int, int, str]:
    kind = "image" if url.endswith(".png") else "script"
    is_gone = dice.random() < 0.02
    outcome, status = ("client_error", 404) if is_gone else ("fetched", 200)
    fields = {"etag": f'"{dice.getrandbits(64):x}"', "last_modified": "Thu, 01 Oct 2026 08:00:00 GMT"}
    return url, kind, outcome, status, dice.randrange(100_000), json.dumps(fields)


def measure_what_if(links: int) -> None:
    """Print how long the ranks of a random graph with one more link take, for ten such links."""
    dice, count = np.random.default_rng(1), links // 10
    graph = Graph.from_links(dice.integers(0, count, links), (count * dice.random(links) ** 3).astype(np.int64), count)
    ranks = pagerank(graph, tolerance=1e-6)
    print(f"{graph.outdegrees.sum()} links of {count} pages")
    for _ in range(10):
        source, target = dice.integers(0, count, 2).tolist()
        began, clock = time.process_time(), time.monotonic()
        ranks_with_link(graph, source, target, ranks)
        print(f"{time.process_time() - began:.2f} s of CPU, {time.monotonic() - clock:.2f} s by the clock")


def main() -> None:
    """Make the store if need be, audit it, and print what that took."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("store", type=Path, nargs="?")
    arguments.add_argument("--pages", type=int, default=100_000)
    arguments.add_argument("--html", type=Path, help="write the report there")
    arguments.add_argument("--what-if", type=int, metavar="LINKS")
    given = arguments.parse_args()
    if given.what_if is not None:
        measure_what_if(given.what_if)
        return
    if given.store is None:
        arguments.error("name a STORE")
    if not given.store.exists():
        asyncio.run(make_store(given.store, StorePlan(given.pages)))
        add_facts(given.store)
        print("made; run again to measure in a process that has made nothing")
        return
    began = time.process_time()
    last = (began, "")
    costs: dict[str, float] = {}

    def step(rule: str) -> None:
        nonlocal last
        now = time.process_time()
        costs[f"{last[1]} ({resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB)"] = now - last[0]
        last = now, rule

    report = audit(given.store, on_step=step)
    step("")
    text = html_report(report)
    if given.html is not None:
        given.html.write_text(text, encoding="utf-8")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    cpu = time.process_time() - began
    print(f"{report.coverage.pages} HTML pages: {cpu:.1f} s of CPU, {memory} MB, HTML of {len(text)} bytes")
    print(", ".join(f"{name} {cost:.1f} s" for name, cost in sorted(costs.items(), key=lambda each: -each[1])[:8]))
    print(", ".join(f"{finding.rule.name} {finding.count}" for finding in report.found()))


if __name__ == "__main__":
    main()
