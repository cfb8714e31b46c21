"""What a day of looking again looks like to the hosts, and that the benchmark would tell if it broke a promise."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from benchmarks.polite_week import BEGINS, CLOSES, DAY, MANNERS, Seen, broken_promises, looked_at, most_in_a_day


@pytest.mark.slow
async def test_revisits_keep_the_promises_to_hosts_and_broken_ones_are_reported() -> None:
    log, settings = await looked_at(days=1.0, budget=40.0, pages=2)

    def complaints(seen: list[Seen]) -> list[str]:
        return list(broken_promises(seen, settings.politeness, settings.robots.max_age_seconds))

    assert complaints(log) == []
    again = [seen for seen in log if seen.started > min(each.started for each in log) + 600]
    assert {seen.host for seen in again} == set(MANNERS)
    assert 30 <= most_in_a_day(again) <= 42
    patient = sorted((seen for seen in log if seen.host == "patient.test"), key=lambda seen: seen.started)
    before, after = next((one, two) for one, two in pairwise(patient) if two.started - one.finished < 60)
    hasty = replace(after, started=before.finished + 19.9, finished=before.finished + 19.95)
    assert len(complaints([hasty if seen is after else seen for seen in log])) == 1
    closed = Seen("closing.test", "/robots.txt", 200, BEGINS + CLOSES, BEGINS + CLOSES)
    page = Seen("closing.test", "/archive/1", 200, BEGINS + CLOSES + 60, BEGINS + CLOSES + 61)
    assert complaints([closed, page]) == ["closing.test was asked for /archive/1, which it forbids"]
    late = replace(page, path="/news/2", started=BEGINS + CLOSES + 2 * DAY, finished=BEGINS + CLOSES + 2 * DAY)
    assert len(complaints([closed, late])) == 1
