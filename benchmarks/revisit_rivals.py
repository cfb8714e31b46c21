"""Rules by which other crawlers revisit pages, replayed beside our schedule on when real pages changed.

    python -m benchmarks.revisit_rivals [FILE ...] [--ratios 0.5 1 3] [--draws 2] [--only NAME ...]

A history is a file of arrays, `page` and `day`, an entry for each day on which a page changed; without files, all of
../shared/data/changes. The budget is a multiple of the number of entries. Importance follows Zipf's law, rank^-0.8, in
random order. The last two thirds are counted: the share of the importance whose copy is current, and days since a copy
was last true, 0 for current ones, as a mean by importance (and by pages).

Apache Nutch (`AdaptiveFetchSchedule`) and StormCrawler (`AdaptiveScheduler`) lengthen and shorten an interval of each
page. They know neither rates nor a budget, which here lets one page through at a time. Which of the pages that are due
that is, their rules leave to a score: the importance, as in Nutch's generator, or its product with the time since the
page was due. LambdaCrawl and BinaryLambdaCrawl are revisit policies, and have our estimates of the rates.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.papers.paper import GRAPHS
from hinterland.analysis.graph import FloatArray
from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.policies import make_revisit_policy
from hinterland.crawler.features.recrawl.policy import RevisitPolicy
from hinterland.crawler.features.recrawl.revisit_planner import importance_of
from hinterland.crawler.features.recrawl.schedule import Revisit, RevisitSchedule
from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.frontier.visits import Wait
from hinterland.storage.values.times import DAY
from tests.support.change_history import ChangeHistory
from tests.support.revisit_simulation import Freshness, Scheduled, replay, zipf_importance

_HISTORIES: Final = GRAPHS.parent / "changes"
_HOUR: Final = 3600.0
_ZIPF: Final = 0.8
_SURE: Final = 20_000
"""Changes seen of each page if the rates are given."""


@dataclass(slots=True)
class Interval:
    """The interval of a page, in seconds; `due` is its next visit, `modified_at` when a change was found last."""

    length: float
    due: float
    modified_at: float = 0.0


def nutch(page: Interval, at: float, *, changed: bool) -> None:
    """Apply the defaults of `db.fetch.schedule.adaptive.*`: inc_rate, dec_rate, bounds, sync_delta."""
    page.length *= 0.8 if changed else 1.4
    if changed:
        page.modified_at = at
    since = at - page.modified_at
    page.length = min(max(page.length, since, 60.0), 365 * DAY)
    page.due = at - 0.3 * since + page.length


def storm_crawler(page: Interval, at: float, *, changed: bool) -> None:
    """Apply the defaults of `scheduler.adaptive.*`: rates of a half, between an hour and two weeks."""
    page.length = 0.5 * page.length + 0.5 * _HOUR if changed else 1.5 * page.length
    page.length = min(max(page.length, _HOUR), 14 * DAY)
    page.due = at + page.length


Urgency = Callable[[FloatArray, FloatArray], FloatArray]
"""The urgency of pages that are due, from their importance and the seconds since they were due; the greatest first."""

SCORES: Final[dict[str, Urgency]] = {
    "importance": lambda importance, _: importance,
    "importance x overdue": np.multiply,
}


class RuleSchedule:
    """A rule with a budget, visits a second."""

    def __init__(
        self, rule: Callable[..., None], first: float, budget: float, importance: FloatArray, urgency: Urgency
    ) -> None:
        """Start all pages with the interval `first`, seconds; they are first due one after another in it."""
        self._rule, self._pause, self._next = rule, 1 / budget, 0.0
        self._importance, self._urgency = importance, urgency
        spread = np.linspace(0, first, len(importance))
        self._pages = [Interval(first, due) for due in spread.tolist()]
        self._due = spread.copy()

    def next(self, now: float) -> Revisit | Wait:
        """Return the next visit, or until when to wait."""
        if now < self._next:
            return Wait(self._next)
        due = np.flatnonzero(self._due <= now)
        if not len(due):
            return Wait(float(self._due.min()))
        page = int(due[self._urgency(self._importance[due], now - self._due[due]).argmax()])
        self._next = max(self._next, now - 1.0) + self._pause
        return Revisit(page, 0, float(self._due[page]))

    def visited(self, page: int, at: float, changed: bool) -> None:
        """Record the result of a visit."""
        interval = self._pages[page]
        self._rule(interval, at, changed=changed)
        self._due[page] = interval.due

    def signalled(self, page: int, kind: SignalKind, at: float) -> None:
        """Ignore a notice, as both rules do."""

    def refresh(self, now: float) -> None:
        """Learn nothing, as both rules do."""


class LambdaCrawl:
    """Visit at the rate (-Δ + √(Δ² + 4μΔ/λ))/2, λ the price (Kolobov, Peres, Lu & Horvitz, NeurIPS 2019)."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the time between two visits of each page, seconds."""
        return np.asarray(2 / (np.sqrt(rates * rates + 4 * importance * rates / price) - rates), np.float64)


class BinaryLambdaCrawl:
    """Visit at the rate √(μΔ/λ) - Δ, or never (Azar, Horvitz, Lubetzky, Peres & Shahaf, PNAS 115(32) 2018)."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        """Return the time between two visits of each page, seconds."""
        often = np.sqrt(importance * rates / price) - rates
        return np.where(often > 0, 1 / np.maximum(often, 1e-300), inf)


def history_of(path: Path) -> ChangeHistory:
    """Return the history in a file, see above."""
    arrays = np.load(path)
    return ChangeHistory.of_days(arrays["page"], arrays["day"], int(arrays["page"].max()) + 1)


def schedule_of(
    policy: RevisitPolicy, history: ChangeHistory, importance: FloatArray, budget: float, *, knows_rates: bool = False
) -> RevisitSchedule:
    """Return our schedule; all pages were fetched at the beginning."""
    schedule, pages = RevisitSchedule(policy, budget, Bounds(_HOUR, 10_000 * DAY)), history.page_count
    schedule.add(np.arange(pages), 0, importance, 0.0)
    if knows_rates:
        known = {"dated_changes": np.full(pages, _SURE), "quiet": _SURE / history.rates}
        schedule.restore(schedule.state() | known)
    schedule.refresh(0.0)
    return schedule


def contestants(history: ChangeHistory, importance: FloatArray, budget: float) -> Iterator[tuple[str, Scheduled]]:
    """Yield the contestants by name; ours use the importance as the crawl does."""
    values = importance_of(importance)
    for name in ("uniform", "change", "importance"):
        yield name, schedule_of(make_revisit_policy(name), history, importance, budget)
    for score, urgency in SCORES.items():
        yield f"Nutch's rule, {score}", RuleSchedule(nutch, 30 * DAY, budget, importance, urgency)
        yield f"StormCrawler's rule, {score}", RuleSchedule(storm_crawler, DAY, budget, importance, urgency)
    yield "BinaryLambdaCrawl", schedule_of(BinaryLambdaCrawl(), history, importance, budget)
    yield "LambdaCrawl", schedule_of(LambdaCrawl(), history, importance, budget)
    yield "binary", schedule_of(make_revisit_policy("binary"), history, values, budget)
    yield "harmonic", schedule_of(make_revisit_policy("harmonic"), history, values, budget)
    known = schedule_of(make_revisit_policy("harmonic"), history, values, budget, knows_rates=True)
    yield "harmonic, true rates", known


def compared(
    history: ChangeHistory, ratio: float, draws: int, refresh: float, only: Sequence[str]
) -> dict[str, list[Freshness]]:
    """Return what each contestant reaches, by draw; `refresh` is the time between two learnings, seconds.

    `only` are beginnings of names; if there are none, all take part.
    """
    found: dict[str, list[Freshness]] = {}
    for seed in range(draws):
        importance = zipf_importance(history.page_count, _ZIPF, seed)
        for name, schedule in contestants(history, importance, ratio * history.mean_rate):
            if not only or name.startswith(tuple(only)):
                found.setdefault(name, []).append(replay(history, schedule, importance, refresh_seconds=refresh))
    return found


def _line(name: str, found: list[Freshness]) -> str:
    fresh, age, of_pages = (
        np.mean([getattr(each, what) for each in found]) for what in ("fresh", "weighted_age", "age")
    )
    return f"{name} | {fresh:.3f} | {age / DAY:.1f} | {of_pages / DAY:.1f}"


def main() -> None:
    """Print a line for each history, budget and contestant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", type=Path, nargs="*", default=sorted(_HISTORIES.glob("*.npz")), metavar="FILE")
    parser.add_argument("--ratios", type=float, nargs="+", default=[0.5, 1.0, 3.0], help="visits for each change")
    parser.add_argument("--draws", type=int, default=2, help="of the importance")
    parser.add_argument("--refresh-days", type=float, default=14.0, help="between two learnings")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="contestants whose names begin so")
    arguments = parser.parse_args()
    print("history | visits per change | policy | freshness | age, days | age by pages")
    for path in arguments.histories:
        history = history_of(path)
        for ratio in arguments.ratios:
            found = compared(history, ratio, arguments.draws, arguments.refresh_days * DAY, arguments.only)
            for name, results in found.items():
                print(path.stem, "|", f"{ratio:g}", "|", _line(name, results), flush=True)


if __name__ == "__main__":
    main()
