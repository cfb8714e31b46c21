"""Whether the pages that `focused` draws by lot say how many relevant ones a crawl has left: replays of a stored crawl.

    python -m benchmarks.drawn_by_lot full.db --visits 1000,3000

Crawls as in `focused_crawl`. What waits at the end is judged by the same classifier, all of it, and held against what
the lots say, with its interval of 95 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.focused_crawl import Subjects
from benchmarks.recorded_web import replay
from hinterland.crawler.features.topics.links.lot_accuracy import LotAccuracy, lot_accuracy
from hinterland.crawler.features.topics.model.topic_model import TopicModel
from hinterland.crawler.features.topics.policies.focused import Focused
from hinterland.storage.values.topics import RELEVANT


@dataclass(frozen=True, slots=True)
class Estimate:
    """said: by the lots; left: how many of what waits are relevant; visited: how many of what was visited."""

    said: LotAccuracy
    left: int
    visited: int

    @property
    def found(self) -> float:
        return self.visited / max(self.visited + self.left, 1)


def estimate(web: Subjects, name: str, seed: int, visits: int) -> Estimate | None:
    """None if no lot came up."""
    task, policy = web.task(name, seed), Focused(seed)
    done = replay(web.web, policy, task.seeds, visits, topic=task.topic)
    visited = sum(each >= RELEVANT for each in done.relevance)
    said = lot_accuracy(policy.draws(), visits=len(done.urls), relevant=visited, waiting=len(done.waiting))
    if said is None:
        return None
    model = TopicModel.from_bytes(task.topic)
    left = sum(model.log_odds(web.words_at(url)) >= 0 for url in done.waiting)
    return Estimate(said, left, visited)


def rows(web: Subjects, visits: Sequence[int], seeds: int) -> Iterator[str]:
    yield "| topic | visits | lots | order right | promised, worth | of the known relevant found: said | true |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    inside, count = 0, 0
    for name in web.names:
        for most in visits:
            for seed in range(seeds):
                found = estimate(web, name, seed, most)
                if found is None:
                    continue
                said, order = found.said, found.said.ordered
                low, high = said.found.interval
                inside += low <= found.found <= high
                count += 1
                yield (
                    f"| {name} | {most:,} | {said.relevant.count} | {'-' if order is None else f'{order.value:.2f}'} |"
                    f" {said.promised:.2f} {said.worth:.2f} | {said.found.value:.2f} ({low:.2f}-{high:.2f}) |"
                    f" {found.found:.2f} ({found.visited:,} of {found.visited + found.left:,}) |"
                )
    yield f"\nthe true share lies in the interval in {inside} of {count} crawls"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--topics", help="some of them, with commas between")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--visits", default="1000", help="with commas between")
    chosen = parser.parse_args()
    web = Subjects(chosen.store)
    if chosen.topics is not None:
        web.names = chosen.topics.split(",")
    for row in rows(web, [int(each) for each in chosen.visits.split(",")], chosen.seeds):
        print(row, flush=True)


if __name__ == "__main__":
    main()
