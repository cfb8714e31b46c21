"""Other crawlers in the same box, with the same politeness as far as they know it: Scrapy, and Crawlee for Python.

Each runs in an environment of its own, whose interpreter is named, with the packages scrapy, crawlee[httpx], ada-url
and selectolax. Both stay on the hosts of the seeds, obey robots.txt, follow every link, and keep no pages.

What they do not know: Scrapy's delay counts from the beginning of a request to that of the next, neither rests longer
after slow answers, and neither has limits for addresses. So compare with politeness.delay_factor=0.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.internet.crawls import Contestant, Failure, Place, Stage
from benchmarks.internet.manners import Politeness
from benchmarks.internet.world import World

SPIDERS: Final = {"scrapy": "benchmarks.internet.peers_scrapy", "crawlee": "benchmarks.internet.peers_crawlee"}
_TRY_SECONDS: Final = 60.0


def peers_of(python: Path | None, politeness: Politeness) -> tuple[list[Contestant], list[str]]:
    """Return the peers that an interpreter can run, and a sentence for each that is left out."""
    if python is None:
        return [], ["Scrapy and Crawlee are left out: --peers-python names no interpreter that has them."]
    contestants, left_out = [], []
    for name, module in SPIDERS.items():
        if (why := _why_not(python, name)) is None:
            contestants.append(Contestant(name, _stages(python, module, politeness), _failures))
        else:
            left_out.append(f"{name} is left out: {python} cannot import it ({why}).")
    return contestants, left_out


def _why_not(python: Path, package: str) -> str | None:
    try:
        done = subprocess.run(
            [str(python), "-c", f"import {package}, selectolax, ada_url"],
            check=False,
            capture_output=True,
            text=True,
            timeout=_TRY_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return (done.stderr.strip().splitlines() or ["no reason given"])[-1] if done.returncode else None


def _stages(python: Path, module: str, politeness: Politeness) -> Callable[[World, Place], list[Stage]]:
    def stages(_world: World, place: Place) -> list[Stage]:
        command = [str(python), "-m", module, str(place.seeds), "--failures", str(_file(place))]
        command += ["--delay", str(politeness.delay_seconds), "--authority", str(place.authority)]
        return [Stage(command)]

    return stages


def _file(place: Place) -> Path:
    return place.folder / "failures.json"


def _failures(place: Place) -> list[Failure]:
    """Return what a spider wrote: a list of hosts, kinds and details."""
    if not _file(place).exists():
        return []
    listed = json.loads(_file(place).read_text(encoding="utf-8"))
    return [Failure(host, kind, detail) for host, kind, detail in listed]
