"""Kill a crawl of the webfarm with kill -9, repeatedly, and check that it ends as an undisturbed one does.

    python -m benchmarks.kills small --kills 20

Crawls the set twice: once undisturbed, once killed at random moments and resumed after each. Compares the final pages
(URL, state) and links (URLs, kind), checks the integrity of the file after every kill, and counts from the server's log
what was fetched more than once. The exit code is 0 if both crawls found the same, every check was ok, and no kill made
more pages be fetched again than there were visits in flight.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from benchmarks.contestants import DEFAULT_PROGRAM, Task, crawl_command
from benchmarks.farm import SETS, Farm, add_farm_options, farm_of
from benchmarks.store_reading import opened

_MAX_IN_FLIGHT: Final = 100
"""Below the default of the setting, which crawls as small as these would never come to."""
_PAGES: Final = "SELECT url, state FROM page"
_LINKS: Final = "SELECT source, target, kind FROM links"


def main() -> None:
    """Crawl, crawl with kills, compare."""
    arguments = _arguments()
    farm = farm_of(arguments)
    with tempfile.TemporaryDirectory(prefix="kills-") as name:
        sys.exit(0 if _survives(farm, arguments, Path(name)) else 1)


def _survives(farm: Farm, arguments: argparse.Namespace, folder: Path) -> bool:
    log = folder / "requests.log"
    calm, killed = (_task(farm, arguments, folder / each) for each in ("calm", "killed"))
    with farm.serving(arguments.set, log=log):
        started = time.monotonic()
        subprocess.run(_command(calm), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds = time.monotonic() - started
        checks = _crawl_with_kills(killed, arguments.kills, seconds, random.Random(arguments.seed))
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    asked = Counter(line.partition(" ")[0] for line in lines if killed.contact in line)
    again = sum(asked.values()) - len(asked)
    same = [_rows(calm.store, sql) == _rows(killed.store, sql) for sql in (_PAGES, _LINKS)]
    print(f"{arguments.set}: {len(checks)} kills at random moments of a crawl of {seconds:.1f} s")
    print(f"  integrity_check ok after {checks.count('ok')} of {len(checks)}")
    print(f"  same pages: {same[0]}; same links: {same[1]}")
    print(f"  {again} requests made again, {again / len(checks):.1f} a kill; allowed are {_MAX_IN_FLIGHT} a kill")
    return all(same) and set(checks) == {"ok"} and again <= _MAX_IN_FLIGHT * len(checks)


def _crawl_with_kills(task: Task, kills: int, seconds: float, draw: random.Random) -> list[str]:
    """Spread the kills over less than one undisturbed crawl, so that each finds it at work; then let it finish."""
    checks = []
    command = _command(task)
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # A start takes part of a second, in which nothing can be lost.
        time.sleep(0.7 + draw.random() * 1.2 * seconds / kills)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            raise SystemExit("the crawl had ended before the last kill: take a larger set, or fewer kills")
        with opened(task.store) as connection:
            checks.append(str(connection.execute("PRAGMA integrity_check").fetchone()[0]))
        command = [*_command(task), "--resume"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return checks


def _command(task: Task) -> list[str]:
    return [*crawl_command(task), "--set", f"fetching.max_in_flight={_MAX_IN_FLIGHT}"]


def _rows(store: Path, sql: str) -> set[tuple[str, ...]]:
    with opened(store) as connection:
        connection.execute("PRAGMA temp_store = MEMORY")
        return set(connection.execute(sql))


def _task(farm: Farm, arguments: argparse.Namespace, folder: Path) -> Task:
    folder.mkdir()
    seeds = folder / "seeds.txt"
    seeds.write_text("\n".join(farm.seeds(arguments.set)) + "\n", encoding="utf-8")
    return Task(arguments.program.resolve(), seeds, None, spread=False, folder=folder)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--kills", type=int, default=20, metavar="N", help="default 20")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--program", type=Path, default=DEFAULT_PROGRAM, help="another run.py to check")
    add_farm_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
