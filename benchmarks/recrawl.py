"""What it costs to revisit a web that has not changed: requests, bytes, CPU and archive, compared with the first crawl.

    python -m benchmarks.recrawl --sets small

The store must not change: the rows of visits, links, texts and ranks are compared. The cost of a crawl and a recrawl of
ten pages, with bytecode and caches in place, is that of starting the program; the ratio is given with and without it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.contestants import Task, crawl_command
from benchmarks.farm import REPOSITORY, SETS, add_farm_options, farm_of
from benchmarks.measuring import Cost, measure

_STAYS: Final = (
    "SELECT page, visit, outcome, attempt, started_at, body_hash, title FROM fetch ORDER BY page",
    "SELECT * FROM link ORDER BY source, target, kind",
    "SELECT * FROM content ORDER BY page",
    "SELECT id, url, state, is_local, depth FROM page ORDER BY id",
    "SELECT * FROM rank ORDER BY estimator, page",
)


def main() -> None:
    """Crawl, recrawl, and print the costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=["small"])
    parser.add_argument("--max-pages", type=int, help="of the first crawl")
    parser.add_argument("--warc", action="store_true", help="archive both, and compare the archives")
    parser.add_argument("--cpu", type=int, default=0, help="the core of the crawler (default 0)")
    add_farm_options(parser)
    arguments = parser.parse_args()
    farm = farm_of(arguments)
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # otherwise each start compiles all modules again, which takes half a second
    for name in arguments.sets:
        folder = Path(tempfile.mkdtemp(prefix="recrawl-"))
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        try:
            (folder / "seeds.txt").write_text("\n".join(farm.seeds(name)), encoding="utf-8")
            task = Task(REPOSITORY / "run.py", folder / "seeds.txt", arguments.max_pages, False, folder)
            with farm.serving(name, log=folder / "requests.log"):
                print(f"{name}: {_report(task, folder, arguments.cpu, archives=arguments.warc)}", flush=True)
        finally:
            shutil.rmtree(folder)


def _report(task: Task, folder: Path, cpu: int, *, archives: bool) -> str:
    started = _started(task, folder, cpu)
    log = folder / "requests.log"
    archive = ["--warc", str(folder / "warc")] if archives else []
    first = _measured([*crawl_command(task), *archive], cpu, folder)
    ranked = [sys.executable, str(task.program), "rank", str(task.store)]
    _measured(ranked, cpu, folder)
    received, digest = _received(task.store), _digest(task.store)
    archived = _size(folder / "warc")
    requests_before = len(log.read_bytes().splitlines())
    again = _measured([sys.executable, str(task.program), "recrawl", str(task.store), *archive], cpu, folder)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[requests_before:]
    statuses = Counter(line.split()[1] for line in lines if "/robots.txt" not in line)
    pages, looks = _pages(task.store), _looks(task.store)
    ratio = again.cpu_seconds / first.cpu_seconds
    without = (again.cpu_seconds - started[1]) / (first.cpu_seconds - started[0])
    told = [
        f"{pages} pages, {looks} looks",
        f"statuses {dict(statuses.most_common())}",
        f"bytes {_received(task.store)} / {received} = {_received(task.store) / received:.3f}",
        f"CPU {again.cpu_seconds:.2f} / {first.cpu_seconds:.2f} s = {ratio:.3f} a page",
        f"without the start ({started[1]:.2f} and {started[0]:.2f} s) {without:.3f}",
        f"memory {again.peak_pss_mb:.0f} / {first.peak_pss_mb:.0f} MB",
        f"store {'the same' if _digest(task.store) == digest else 'DIFFERENT'}",
    ]
    if archives:
        grown = _size(folder / "warc") - archived
        told.append(f"archive {grown} / {archived} = {grown / archived:.3f}")
    return "; ".join(told)


def _started(task: Task, folder: Path, cpu: int) -> tuple[float, float]:
    """Seconds of CPU that a crawl and a recrawl of ten pages take, when all bytecode is there."""
    spent = (0.0, 0.0)
    for name in ("compiling", "start"):
        few = replace(task, max_pages=10, folder=folder / name)
        few.folder.mkdir()
        crawl = _measured(crawl_command(few), cpu, few.folder)
        again = _measured([sys.executable, str(task.program), "recrawl", str(few.store)], cpu, few.folder)
        spent = crawl.cpu_seconds, again.cpu_seconds
    return spent


def _measured(command: list[str], cpu: int, folder: Path) -> Cost:
    cost = measure(command, cpu=cpu, cwd=folder)
    if cost.exit_code not in (0, 5, 8, 14):
        sys.exit(f"{command} ended with {cost.exit_code}:\n{cost.output}\n{cost.errors}")
    return replace(cost)


def _ask(store: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def _received(store: Path) -> int:
    """Bytes of bodies in the last run."""
    [(progress,)] = _ask(store, "SELECT progress FROM run ORDER BY id DESC LIMIT 1")
    return int(json.loads(str(progress))["wire_bytes"])


def _digest(store: Path) -> str:
    """Return a digest of everything that must not have changed."""
    digest = hashlib.sha256()
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        for sql in _STAYS:
            for row in connection.execute(sql):
                digest.update(repr(row).encode())
    return digest.hexdigest()


def _pages(store: Path) -> object:
    return _ask(store, "SELECT count(*) FROM fetch WHERE outcome = 'fetched'")[0][0]


def _looks(store: Path) -> int:
    [(progress,)] = _ask(store, "SELECT progress FROM run ORDER BY id DESC LIMIT 1")
    return sum(json.loads(str(progress))["revisits"]["looks"].values())


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.glob("*.warc.gz")) if folder.exists() else 0


if __name__ == "__main__":
    main()
