"""Crawl with 1, 2 and 4 shards, and check that pages, outcomes, links and PageRank are the same as in one process.

    python -m benchmarks.shards small --shards 1 2 4
    python -m benchmarks.shards full --shards 1 2 --spread --max-pages 20000 --repeats 3

Crawls a set of the webfarm once in one process and once with each number of shards, as fast as possible, and compares
the stores. Prints for each the pages a second, the CPU (without the server's), the memory, and what shards forwarded to
each other. The exit code is 0 if all stores are the same and PageRank differs by at most 1e-9 (L1). With --max-pages
each crawl fetches different pages, so they are not compared. --spread needs a set that was built with it.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.contestants import DEFAULT_PROGRAM, Task, crawl_command
from benchmarks.farm import REPOSITORY, SETS, Farm, add_farm_options, farm_of
from benchmarks.measuring import Cost, measure
from benchmarks.store_reading import opened
from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import pagerank

_SAME: Final = {
    "pages": "SELECT url, state, is_local FROM page",
    "outcomes": "SELECT url, outcome, status, body_hash FROM pages WHERE visit NOT NULL",
    "redirects": "SELECT url, redirect_target, canonical FROM pages WHERE visit NOT NULL",
    "links": "SELECT source, target, kind, nofollow, anchor FROM links",
}
_MOST_DIFFERENT: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Measured:
    """A crawl's store, pages and cost."""

    store: Path
    pages: int
    cost: Cost


def main() -> None:
    """Crawl, crawl with shards, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--spread", action="store_true", help="each host has an address of its own")
    parser.add_argument("--max-pages", type=int, help="as many pages in each crawl, and no comparison")
    parser.add_argument("--repeats", type=int, default=1, help="rounds in which each number of shards has its turn")
    add_farm_options(parser)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="shards-") as name:
        sys.exit(0 if _are_same(farm_of(arguments), arguments, Path(name)) else 1)


def _are_same(farm: Farm, arguments: argparse.Namespace, folder: Path) -> bool:
    same = True
    with farm.serving(arguments.set, spread=arguments.spread):
        seeds = folder / "seeds.txt"
        seeds.write_text("\n".join(farm.seeds(arguments.set)) + "\n", encoding="utf-8")
        task = Task(DEFAULT_PROGRAM, seeds, arguments.max_pages, arguments.spread, folder)
        for _ in range(arguments.repeats):
            alone = _crawled(task, 0)
            _tell("one process", alone)
            for shards in arguments.shards:
                measured = _crawled(task, shards)
                _tell(f"{shards} shards", measured)
                print(f"  {_exchanged(measured.store)}", flush=True)
                same &= arguments.max_pages is not None or _is_same(alone, measured)
    return same


def _crawled(task: Task, shards: int) -> Measured:
    """Crawl with this many shards; 0 stands for one process without shards."""
    own = task.folder / f"in-{shards}"
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir()
    task = replace(task, folder=own)
    command = [*crawl_command(task), *(["--cluster", f"local:{shards}"] if shards else [])]
    cost = measure(command, cpu=None, cwd=REPOSITORY)
    if cost.exit_code not in (0, 5):  # 5: budget used up
        sys.exit(f"{shlex.join(command)} ended with {cost.exit_code}:\n{cost.errors}")
    with opened(task.store) as connection:
        [(pages,)] = connection.execute("SELECT count(*) FROM fetch WHERE outcome = 'fetched'")
    return Measured(task.store, pages, cost)


def _tell(name: str, measured: Measured) -> None:
    pages, cost = measured.pages, measured.cost
    print(
        f"{name}: {pages} pages in {cost.wall_seconds:.1f} s, {pages / cost.wall_seconds:.0f} a second,"
        f" {1000 * cost.cpu_seconds / max(1, pages):.2f} ms CPU a page, {cost.peak_pss_mb:.0f} MB",
        flush=True,
    )


def _is_same(alone: Measured, measured: Measured) -> bool:
    different = differences(alone.store, measured.store)
    distance = _rank_distance(alone.store, measured.store)
    print(f"  PageRank differs by {distance:.1e} (L1)", flush=True)
    return not different and distance <= _MOST_DIFFERENT


def differences(alone: Path, other: Path) -> int:
    """How many rows of two stores differ, numbers apart; prints of what."""
    total = 0
    for name, sql in _SAME.items():
        one, two = _rows(alone, sql), _rows(other, sql)
        different = (one - two) + (two - one)
        print(f"  {name}: {one.total()} and {two.total()}, {different.total()} differ")
        for row in list(different)[:3]:
            print(f"    {row}")
        total += different.total()
    return total


def _rows(store: Path, sql: str) -> Counter[tuple[object, ...]]:
    with opened(store) as connection:
        return Counter(connection.execute(sql))


def _rank_distance(one: Path, other: Path) -> float:
    ranks, others = _ranks(one), _ranks(other)
    return float(sum(abs(ranks.get(url, 0.0) - others.get(url, 0.0)) for url in ranks.keys() | others.keys()))


def _ranks(store: Path) -> dict[str, float]:
    with opened(store) as connection:
        urls = [url for (url,) in connection.execute("SELECT url FROM page ORDER BY id")]
        links = np.array(connection.execute("SELECT DISTINCT source, target FROM link").fetchall(), np.int32)
    graph = Graph.from_links(links[:, 0], links[:, 1], len(urls))
    return dict(zip(urls, pagerank(graph, tolerance=1e-12).tolist(), strict=True))


def _exchanged(store: Path) -> str:
    sent, urls = 0, set[str]()
    for part in store.with_name(f"{store.name}.shards").glob("*.db"):
        with opened(part) as connection:
            rows = connection.execute("SELECT url FROM handed_over JOIN page ON page.id = page").fetchall()
        sent += len(rows)
        urls |= {url for (url,) in rows}
    return f"{sent} pages handed over, {len(urls)} distinct"


if __name__ == "__main__":
    main()
