"""How soon files of a type are found on a site: policies side by side on a store that kept its bodies.

    python -m benchmarks.target_retrieval full.db                      # six sites of the farm
    python -m benchmarks.target_retrieval full.db --sites docs.example.org=application/pdf --policies bfs,focused

Counted are all visits, to pages and files, until 90 of 100 files are found, as a share of all there is on the site.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.recorded_web import RecordedWeb, Replay, replay
from hinterland.crawler.fetching.content_type import essence_of
from hinterland.crawler.policies import make_policy
from hinterland.crawler.urls.hosts import host_of

SITES = {
    "docs.twisted.org": "application/octet-stream",
    "docs.sympy.org": "application/pdf",
    "www.statsmodels.org": "application/pdf",
    "www.erlang.org": "application/pdf",
    "docs.openstack.org": "application/octet-stream",
    "docs.oracle.com": "image/svg+xml",
}
"""Of the farm: those that have at least 20 files of a type, and not more than a sixth of all that they have."""
POLICIES = ("bfs", "forward-learning", "tag-path-bandit", "focused")
_WANTED = 0.9
_REFRESH_PAGES = 100


@dataclass(frozen=True, slots=True)
class Site:
    """start: the page of the shortest URL."""

    name: str
    content_type: str
    start: str
    pages: int
    files: int
    sought: int


def site_of(web: RecordedWeb, name: str, content_type: str) -> Site:
    pages = [url for url in web.pages if _host(url) == name]
    files = [url for url in web.files if _host(url) == name]
    if not pages:
        raise SystemExit(f"the store has no page of {name}")
    sought = sum(essence_of(web.files[url]) == content_type for url in files)
    return Site(name, content_type, min(pages, key=lambda url: (len(url), url)), len(pages), len(files), sought)


def visits_needed(web: RecordedWeb, site: Site, policy: str, seed: int) -> int | None:
    """None if they are not found with half of all visits."""

    def is_sought(content_type: str) -> bool:
        return essence_of(content_type) == site.content_type

    def is_enough(done: Replay) -> bool:
        return sum(done.relevance) >= _WANTED * site.sought

    most = (site.pages + site.files) // 2
    done = replay(
        web,
        make_policy(policy, seed),
        [site.start],
        most,
        is_sought=is_sought,
        refresh_pages=_REFRESH_PAGES,
        is_local=_of_host(site.name),
        is_enough=is_enough,
    )
    return len(done.urls) if is_enough(done) else None


def _of_host(name: str) -> Callable[[str], bool]:
    return lambda url: _host(url) == name


def _host(url: str) -> str:
    return host_of(url).partition("://")[2].partition(":")[0]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--sites", default=",".join(f"{name}={kind}" for name, kind in SITES.items()))
    parser.add_argument("--policies", default=",".join(POLICIES))
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args(arguments)
    web, policies = RecordedWeb(chosen.store), chosen.policies.split(",")
    print("| site | pages | files | sought |", " | ".join(policies), "|")
    print("| --- " * (4 + len(policies)) + "|")
    for each in chosen.sites.split(","):
        site = site_of(web, *each.split("=", 1))
        cells = []
        for policy in policies:
            started = time.process_time()
            seeds = range(chosen.seeds if policy != "bfs" else 1)
            needed = [visits_needed(web, site, policy, seed) for seed in seeds]
            seconds = (time.process_time() - started) / len(needed)
            shares = [np.inf if each is None else 100 * each / (site.pages + site.files) for each in needed]
            told = " ".join("> 50" if share == np.inf else f"{share:.1f}" for share in shares)
            cells.append(f"{told} % ({seconds:.0f} s)")
        row = f"| {site.name} ({site.content_type}) | {site.pages} | {site.files} | {site.sought} |"
        print(row, " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
