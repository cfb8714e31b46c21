"""The progress that a crawl publishes in its store: its counters, their history, the frontier. Pure."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.frontier.scores import FrontierScores
from hinterland.crawler.loop.decisions.statistics import CrawlStatistics

_MAX_POINTS = 180
_NO_ERRORS = (OutcomeKind.FETCHED, OutcomeKind.OTHER_TYPE, OutcomeKind.REDIRECTED, OutcomeKind.ROBOTS)


class ProgressRecord:
    """Keeps the history of the counters, and the last view of the frontier. Mutable."""

    def __init__(self) -> None:
        """Begin with no history."""
        self._points: list[tuple[float, int, int, int]] = []
        self._errors: list[int] = []
        self._stride = 1
        self._skipped = 0
        self.scores: FrontierScores | None = None

    def as_json(self, statistics: CrawlStatistics) -> dict[str, Any]:
        """Return the progress record; successive calls must pass the statistics of one run in order of time.

        "course" holds [seconds, pages fetched, visits, bytes received] from the beginning of the run to now. When it
        reaches 180 points, every second one is dropped, so a long run has between 90 and 180 points, evenly spaced
        except for the last. "course_of_errors" holds, for each of these points, the number of visits so far that failed
        to bring a page; visits refused by robots.txt are left out.
        """
        point = (
            round(statistics.seconds, 2),
            statistics.pages_fetched,
            statistics.visits,
            statistics.wire_bytes,
        )
        errors = sum(count for kind, count in statistics.outcomes.items() if kind not in _NO_ERRORS)
        self._skipped += 1
        if self._skipped >= self._stride:
            self._points.append(point)
            self._errors.append(errors)
            self._skipped = 0
            if len(self._points) >= _MAX_POINTS:
                self._points, self._errors = self._points[1::2], self._errors[1::2]
                self._stride *= 2
        course, of_errors = [(0.0, 0, 0, 0), *self._points], [0, *self._errors]
        if course[-1] != point:
            course.append(point)
            of_errors.append(errors)
        scores = None if self.scores is None else asdict(self.scores)
        return {
            **statistics.as_json(),
            "course": course,
            "course_of_errors": of_errors,
            "frontier_scores": scores,
        }
