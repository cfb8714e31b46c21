"""Rules by which other crawlers look at pages again, replayed beside our schedule on when real pages changed.

    python -m benchmarks.revisit_rivals peps.npz hugo-docs.npz --ratios 0.5 1 3 --draws 3

A history is a file of arrays, `page` and `day`, an entry for each day on which a page changed. The budget is so many
visits for each entry. Importance goes by Zipf's law, rank^-0.8, drawn by lot; what is counted are the last two thirds:
the share of the importance whose copy is current, and days since a copy was last true, 0 for current ones, mean by
importance (and by pages).

Apache Nutch (`AdaptiveFetchSchedule`) and StormCrawler (`AdaptiveScheduler`) lengthen and shorten an interval of each
page; they know neither rates nor a budget, which here lets one page through at a time: of those that are due the most
important one, as in Nutch's generator, and for StormCrawler that with the greatest product of importance and time since
it was due, which serves its rule better than either. LambdaCrawl and BinaryLambdaCrawl are revisit policies, and have
our estimates of the rates.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

import numpy as np

from hinterland.analysis.graph import FloatArray
from hinterland.crawler.features.recrawl import RevisitPolicy, make_revisit_policy
from hinterland.crawler.features.recrawl.budget import Bounds
from hinterland.crawler.features.recrawl.pace import importance_of
from hinterland.crawler.features.recrawl.schedule import Revisit, RevisitSchedule
from hinterland.crawler.features.recrawl.signals import SignalKind
from hinterland.crawler.frontier.visits import Wait
from hinterland.lab.change_history import ChangeHistory
from hinterland.lab.experiments.revisit_simulation import (
    Freshness,
    Scheduled,
    drawn_signals,
    replay,
    zipf_importance,
)
from hinterland.storage.values.times import DAY

_HOUR: Final = 3600.0
_ZIPF: Final = 0.8
_SURE: Final = 20_000
"""Changes seen of each page by who knows the rates beforehand."""


@dataclass(slots=True)
class Interval:
    """Of one page; seconds. due: when it is to be visited. modified_at: when a change was found last."""

    length: float
    due: float
    modified_at: float = 0.0


def nutch(page: Interval, at: float, *, changed: bool) -> None:
    """With the defaults of `db.fetch.schedule.adaptive.*`: inc_rate, dec_rate, bounds, sync_delta."""
    page.length *= 0.8 if changed else 1.4
    if changed:
        page.modified_at = at
    since = at - page.modified_at
    page.length = min(max(page.length, since, 60.0), 365 * DAY)
    page.due = at - 0.3 * since + page.length


def storm_crawler(page: Interval, at: float, *, changed: bool) -> None:
    """With the defaults of `scheduler.adaptive.*`: rates of a half, between an hour and two weeks."""
    page.length = 0.5 * page.length + 0.5 * _HOUR if changed else 1.5 * page.length
    page.length = min(max(page.length, _HOUR), 14 * DAY)
    page.due = at + page.length


Urgency = Callable[[FloatArray, FloatArray], FloatArray]
"""Of pages that are due, by their importance and for how long they are, seconds; the greatest goes first."""


class RuleSchedule:
    """A rule with a budget, visits a second."""

    def __init__(
        self, rule: Callable[..., None], first: float, budget: float, importance: FloatArray, urgency: Urgency
    ) -> None:
        """first: the interval that all pages start with, seconds; they are first due one after another in it."""
        self._rule, self._pause, self._next = rule, 1 / budget, 0.0
        self._importance, self._urgency = importance, urgency
        spread = np.linspace(0, first, len(importance))
        self._pages = [Interval(first, due) for due in spread.tolist()]
        self._due = spread.copy()

    def next(self, now: float) -> Revisit | Wait:
        if now < self._next:
            return Wait(self._next)
        due = np.flatnonzero(self._due <= now)
        if not len(due):
            return Wait(float(self._due.min()))
        page = int(due[self._urgency(self._importance[due], now - self._due[due]).argmax()])
        self._next = max(self._next, now - 1.0) + self._pause
        return Revisit(page, 0, float(self._due[page]))

    def visited(self, page: int, at: float, changed: bool) -> None:
        interval = self._pages[page]
        self._rule(interval, at, changed=changed)
        self._due[page] = interval.due

    def signalled(self, page: int, kind: SignalKind, at: float) -> None:
        """Neither heeds them."""

    def refresh(self, now: float) -> None:
        """Neither learns."""


class LambdaCrawl:
    """Visits at the rate (-Δ + √(Δ² + 4μΔ/λ))/2, λ the price (Kolobov, Peres, Lu & Horvitz, NeurIPS 2019)."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        return np.asarray(2 / (np.sqrt(rates * rates + 4 * importance * rates / price) - rates), np.float64)


class BinaryLambdaCrawl:
    """Visits at the rate √(μΔ/λ) - Δ, or never (Azar, Horvitz, Lubetzky, Peres & Shahaf, PNAS 115(32) 2018)."""

    def waits(self, price: float, rates: FloatArray, importance: FloatArray) -> FloatArray:
        often = np.sqrt(importance * rates / price) - rates
        return np.where(often > 0, 1 / np.maximum(often, 1e-300), inf)


def history_of(path: Path) -> ChangeHistory:
    """From a file, see above."""
    arrays = np.load(path)
    return ChangeHistory.of_days(arrays["page"], arrays["day"], int(arrays["page"].max()) + 1)


def schedule_of(
    policy: RevisitPolicy, history: ChangeHistory, importance: FloatArray, budget: float, *, knows_rates: bool = False
) -> RevisitSchedule:
    """Ours; all pages were fetched at the beginning."""
    schedule, pages = RevisitSchedule(policy, budget, Bounds(_HOUR, 10_000 * DAY)), history.page_count
    schedule.add(np.arange(pages), 0, importance, 0.0)
    if knows_rates:
        known = {"dated_changes": np.full(pages, _SURE), "quiet": _SURE / history.rates}
        schedule.restore(schedule.state() | known)
    schedule.refresh(0.0)
    return schedule


def contestants(history: ChangeHistory, importance: FloatArray, budget: float) -> Iterator[tuple[str, Scheduled]]:
    """By name. Ours takes the importance as the crawl does."""
    values = importance_of(importance)
    for name in ("uniform", "change", "importance"):
        yield name, schedule_of(make_revisit_policy(name), history, importance, budget)
    yield "Nutch's rule", RuleSchedule(nutch, 30 * DAY, budget, importance, lambda worth, _: worth)
    yield "StormCrawler's rule", RuleSchedule(storm_crawler, DAY, budget, importance, np.multiply)
    yield "BinaryLambdaCrawl", schedule_of(BinaryLambdaCrawl(), history, importance, budget)
    yield "LambdaCrawl", schedule_of(LambdaCrawl(), history, importance, budget)
    yield "binary", schedule_of(make_revisit_policy("binary"), history, values, budget)
    yield "harmonic", schedule_of(make_revisit_policy("harmonic"), history, values, budget)
    known = schedule_of(make_revisit_policy("harmonic"), history, values, budget, knows_rates=True)
    yield "harmonic, true rates", known


def compared(history: ChangeHistory, ratio: float, draws: int, refresh: float) -> dict[str, list[Freshness]]:
    """What each contestant reaches, by draw. refresh: seconds from one learning to the next."""
    found: dict[str, list[Freshness]] = {}
    for seed in range(draws):
        importance = zipf_importance(history.page_count, _ZIPF, seed)
        for name, schedule in contestants(history, importance, ratio * history.mean_rate):
            found.setdefault(name, []).append(replay(history, schedule, importance, refresh_seconds=refresh))
    return found


def with_signals(history: ChangeHistory, ratio: float, draws: int, recall: float, precision: float) -> list[Freshness]:
    """What ours reaches with signals drawn by lot."""
    found = []
    for seed in range(draws):
        importance = zipf_importance(history.page_count, _ZIPF, seed)
        policy, budget = make_revisit_policy("harmonic"), ratio * history.mean_rate
        schedule = schedule_of(policy, history, importance_of(importance), budget)
        signals = drawn_signals(history, recall, precision, seed) if recall else []
        found.append(replay(history, schedule, importance, signals=signals, refresh_seconds=DAY))
    return found


def _line(name: str, found: list[Freshness]) -> str:
    fresh, age, of_pages = (
        np.mean([getattr(each, what) for each in found]) for what in ("fresh", "weighted_age", "age")
    )
    return f"{name} | {fresh:.3f} | {age / DAY:.1f} | {of_pages / DAY:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("histories", type=Path, nargs="+")
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0], help="visits for each change")
    parser.add_argument("--draws", type=int, default=3, help="of the importance")
    parser.add_argument("--refresh-days", type=float, default=7.0, help="from one learning to the next")
    parser.add_argument("--signals", type=float, nargs=2, metavar=("RECALL", "PRECISION"), help="ours with signals")
    arguments = parser.parse_args()
    print("history | visits per change | policy | freshness | age, days | age by pages")
    for path in arguments.histories:
        history = history_of(path)
        for ratio in arguments.ratios:
            if arguments.signals:
                for asked in ((0.0, 1.0), tuple(arguments.signals)):
                    found = with_signals(history, ratio, arguments.draws, *asked)
                    print(path.stem, "|", f"{ratio:g}", "|", _line(f"recall {asked[0]:g}", found), flush=True)
                continue
            for name, results in compared(history, ratio, arguments.draws, arguments.refresh_days * DAY).items():
                print(path.stem, "|", f"{ratio:g}", "|", _line(name, results), flush=True)


if __name__ == "__main__":
    main()
