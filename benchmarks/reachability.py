"""Check that a crawl of the webfarm finds every page, once each, under any policy.

    python -m benchmarks.reachability small                       crawl with every policy, then compare
    python -m benchmarks.reachability full --policies bfs
    python -m benchmarks.reachability full --store FILE           compare a finished store

Compares the store with the truth that the farm computed from its files: pages not found, pages that should not be
there, outcomes that differ from what the files predict, pages visited twice. If this command made the crawl itself, it
also checks the server's log: no URL may be requested twice. Every difference is shown under the rule that explains it.
The exit code is 0 if each has one, 1 if not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.contestants import DEFAULT_PROGRAM, Task, crawl_command
from benchmarks.differences import Difference, differences
from benchmarks.farm import SETS, Farm, add_farm_options, farm_of
from benchmarks.store_reading import StoredCrawl, opened
from benchmarks.truth import Truth
from hinterland.crawler.settings import FetchingSettings, UrlSettings
from hinterland.crawler.urls.canonical import Canonicaliser

POLICIES: Final = ("bfs", "dfs", "random", "indegree")
_EXAMPLES: Final = 3
_EXAMPLES_UNEXPLAINED: Final = 50


def main() -> None:
    """Compare one store, or crawl and compare once per policy."""
    arguments = _arguments()
    farm = farm_of(arguments)
    truth = Truth(farm, arguments.set, default_canonicaliser().canonical)
    if arguments.store is not None:
        sys.exit(not is_explained(str(arguments.store), arguments.store, truth, ()))
    with tempfile.TemporaryDirectory(prefix="reachability-") as folder:
        results = [_try(policy, farm, truth, arguments, Path(folder) / policy) for policy in arguments.policies]
    sys.exit(not all(results))


def _try(policy: str, farm: Farm, truth: Truth, arguments: argparse.Namespace, folder: Path) -> bool:
    """Crawl with one policy and compare."""
    folder.mkdir()
    log, seeds = folder / "requests.log", folder / "seeds.txt"
    seeds.write_text("\n".join(farm.seeds(arguments.set)) + "\n", encoding="utf-8")
    task = Task(arguments.program.resolve(), seeds, None, spread=False, folder=folder)
    # Names that only redirect are no seeds, but the truth goes through them.
    aliases = ",".join(farm.aliases(arguments.set))
    with farm.serving(arguments.set, log=log):
        command = [*crawl_command(task), "--policy", policy, "--set", f"scope.hosts={aliases}"]
        ended = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        print(f"{policy}: the crawl ended with {ended.returncode}:\n{ended.stdout}")
        return False
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    requests = [line.partition(" ")[0] for line in lines if task.contact in line]
    return is_explained(f"{arguments.set}, {policy}", task.store, truth, requests)


def is_explained(title: str, store: Path, truth: Truth, requests: Sequence[str], *, was_cut_off: bool = False) -> bool:
    """Print the comparison; whether every difference has its rule."""
    most_bytes = FetchingSettings().max_body_bytes
    with opened(store) as connection:
        crawl = StoredCrawl(connection)
        found = list(differences(crawl, truth, max_body_bytes=most_bytes, requests=requests, was_cut_off=was_cut_off))
    outcomes = Counter(page.outcome for page in crawl.visited.values())
    print(f"\n{title}: {outcomes['fetched']} pages fetched, {len(truth.pages)} in the truth")
    print("  outcomes: " + ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
    if requests:
        print(f"  the server was asked {len(requests)} times for {len(set(requests))} URLs")
    for kind in dict.fromkeys(each.kind for each in found):
        _print_kind(kind, [each for each in found if each.kind == kind])
    unexplained = sum(each.rule is None for each in found)
    print(f"  {len(found)} differences, {unexplained} unexplained", flush=True)
    return not unexplained


def _print_kind(kind: str, found: Sequence[Difference]) -> None:
    print(f"  {kind}: {len(found)}")
    for rule, count in Counter(each.rule for each in found).most_common():
        print(f"  {count:8}  {rule or 'UNEXPLAINED'}")
        shown = _EXAMPLES if rule else _EXAMPLES_UNEXPLAINED
        for each in [each for each in found if each.rule == rule][:shown]:
            print(f"{'':14}{each.url}{'' if rule else f'  ({each.evidence})'}")


def default_canonicaliser() -> Canonicaliser:
    """Return the canonicaliser with default settings."""
    settings = UrlSettings()
    return Canonicaliser(
        sort_parameters=settings.sort_parameters,
        drop_parameters=settings.drop_parameters,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--store", type=Path, help="compare this finished store instead of crawling")
    parser.add_argument("--policies", nargs="+", choices=POLICIES, default=POLICIES, help="default: all")
    parser.add_argument("--program", type=Path, default=DEFAULT_PROGRAM, help="another run.py to check")
    add_farm_options(parser)
    return parser.parse_args()


if __name__ == "__main__":
    main()
