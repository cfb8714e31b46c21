"""How the constants do on webs that had no part in them: tables of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np

from benchmarks.calibration.crawls import Crawl, Seen
from benchmarks.calibration.fitting import LEAST, covered_pages, covered_places, fitted, moments
from hinterland.analysis.estimates.error_formula import Prediction, predicted

FACTORS: Final = (1.5, 2.0, 3.0)
LIMITS: Final = (0.4, 0.3, 0.2, 0.1, 0.05)
ENDS: Final = (1.0, 2.0)
"""The moments that are reported, in multiples of n."""
ALL: Final = "all, by crawl"
EVEN: Final = "all, by web"


@dataclass(frozen=True, slots=True)
class Judged:
    """A moment of a crawl of a web that was left out, and what is predicted for it."""

    group: str
    crawl: Crawl
    seen: Seen
    prediction: Prediction
    in_pages: float
    in_places: float

    @property
    def ratio(self) -> float:
        """The logarithm of the predicted over the true error."""
        return log(max(self.prediction.l1, LEAST) / max(self.seen.true, LEAST))

    @property
    def is_below(self) -> bool:
        """Whether the true error is below the bound."""
        return self.seen.true <= self.prediction.at_most


def judged(
    crawls: Sequence[Crawl],
    group_of: Callable[[str], str],
    when: Sequence[float] | None,
    tested: Sequence[Crawl] = (),
) -> Iterator[Judged]:
    """Yield each moment with the prediction by constants that were learnt from all other groups.

    Nothing is learnt from the crawls that are only `tested`.
    """
    learnt_from, asked = moments(crawls, group_of), moments([*crawls, *tested], group_of, when)
    for group in np.unique(asked.groups).tolist():
        constants = fitted(learnt_from.only(learnt_from.groups != group))
        out = asked.only(asked.groups == group)
        found = [predicted(one.revealed, one.signs, constants) for one in out.seen]
        bounds = np.array([one.at_most for one in found])
        pages, places = (
            covered_pages(out.seen, constants.of_pages * bounds),
            covered_places(out.seen, constants.of_places * bounds),
        )
        for row in zip(out.crawls, out.seen, found, pages.tolist(), places.tolist(), strict=True):
            yield Judged(group, *row)


def told(crawls: Sequence[Crawl], group_of: Callable[[str], str], tested: Sequence[Crawl] = ()) -> Iterator[str]:
    """Yield the tables; the rows of all crawls are without those that are only tested."""
    ends = list(judged(crawls, group_of, ENDS, tested))
    learnt = {group_of(one.graph) for one in crawls}
    yield (
        "| left out | domains | crawls | ratio | within 1.5 | 2 | 3 | below the bound | bound / ê | unlike | pages"
        " | places |"
    )
    yield "| --- |" + " ---: |" * 11
    groups = sorted({one.group for one in ends})
    for group in groups:
        yield _row(group, [one for one in ends if one.group == group])
    yield _row(ALL, [one for one in ends if one.group in learnt])
    yield _even(ends, sorted(learnt))
    yield ""
    yield "| `--until-error` | left out | crawls | stopped | of these above at the start | right | of the latter |"
    yield "| ---: | --- | ---: | ---: | ---: | ---: | ---: |"
    courses = by_crawl(judged(crawls, group_of, None, tested))
    for limit in LIMITS:
        for group in (*groups, ALL):
            chosen = [each for each in courses if group in (each[0].group, ALL if each[0].group in learnt else "")]
            yield f"| {limit:g} | {group} | {len(chosen)} | {_stops(chosen, limit)} |"


def by_crawl(found: Iterator[Judged]) -> list[list[Judged]]:
    """Return the moments of each crawl, in their order."""
    courses: dict[int, list[Judged]] = {}
    for one in found:
        courses.setdefault(id(one.crawl), []).append(one)
    return list(courses.values())


def _row(name: str, rows: Sequence[Judged]) -> str:
    ratios = np.array([one.ratio for one in rows])
    shares = [np.abs(ratios) <= log(factor) for factor in FACTORS]
    shares += [np.array([one.is_below for one in rows])]
    domains = len({one.crawl.domain for one in rows})
    widths = np.median([one.prediction.at_most / one.prediction.l1 for one in rows])
    cells = [f"{np.mean(each):.0%}" for each in shares] + [f"{widths:.1f}"]
    cells += [f"{np.mean([bool(one.prediction.unlike) for one in rows]):.0%}"]
    cells += [f"{np.mean([getattr(one, name) for one in rows]):.0%}" for name in ("in_pages", "in_places")]
    return f"| {name} | {domains} | {len(rows)} | {exp(float(np.median(ratios))):.2f} | {' | '.join(cells)} |"


def _even(rows: Sequence[Judged], groups: Sequence[str]) -> str:
    """Return the row of means over groups."""
    ratios = np.abs([one.ratio for one in rows])
    columns = [ratios <= log(factor) for factor in FACTORS]
    columns.append(np.array([one.is_below for one in rows]))
    columns.append(np.array([bool(one.prediction.unlike) for one in rows]))
    columns += [np.array([getattr(one, name) for one in rows]) for name in ("in_pages", "in_places")]
    of_each = [np.array([one.group == group for one in rows]) for group in groups]
    cells = [f"{np.mean([column[chosen].mean() for chosen in of_each]):.0%}" for column in columns]
    return f"| {EVEN} | | | | {' | '.join([*cells[:4], '', *cells[4:]])} |"


def _stops(courses: Sequence[Sequence[Judged]], limit: float) -> str:
    """Return the columns of a limit: each crawl stops as soon as its bound is not above it, but not before n pages."""
    found = list[tuple[bool, bool]]()
    for course in courses:
        late = (one for one in course if one.seen.outside >= one.crawl.n)
        stop = next((one for one in late if one.prediction.at_most <= limit), None)
        if stop is not None:
            found.append((stop.seen.true < limit, course[0].seen.true >= limit))
    above = [is_right for is_right, was_above in found if was_above]
    right = f"{np.mean([is_right for is_right, _ in found]):.0%}" if found else ""
    return f"{len(found)} | {len(above)} | {right} | {f'{np.mean(above):.0%}' if above else ''}"
