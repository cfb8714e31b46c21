"""What a crawl does is drawn whatever comes of its visits, on axes that fit, with values that can be read off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.loop.decisions.progress_record import ProgressRecord
from hinterland.web.crawl_report import rates_of
from hinterland.web.plots import HEIGHT
from hinterland.web.rate_plots import fitting_top, rate_plot, spots
from tests.support.crawl_statistics import statistics

pytestmark = pytest.mark.slow


def test_a_crawl_that_meets_nothing_but_errors_does_not_look_dead() -> None:
    course = [[0.0, 0, 0, 0], [10.0, 0, 400, 1000], [20.0, 0, 800, 4000]]
    rates = rates_of({"course": course, "course_of_errors": [0, 390, 790]})
    assert rates is not None
    drawn = {plot.name: (list(plot.values), plot.now) for plot in rates.plots}
    assert drawn == {
        "pages a second": ([0.0, 0.0], 0.0),
        "visits a second": ([40.0, 40.0], 40.0),
        "errors a second": ([39.0, 40.0], 40.0),
        "received a second": ([100.0, 300.0], 300.0),
    }


@pytest.mark.parametrize("more", [{}, {"course_of_errors": []}, {"course_of_errors": [0]}])
def test_a_run_of_an_earlier_version_is_drawn_without_its_errors(more: dict[str, list[int]]) -> None:
    rates = rates_of({"course": [[0.0, 0, 0, 0], [10.0, 5, 10, 100]], **more})
    assert rates is not None
    assert [plot.name for plot in rates.plots] == ["pages a second", "visits a second", "received a second"]


def test_visits_by_the_day_have_errors_by_the_day() -> None:
    course = [[0.0, 0, 0, 0], [43_200.0, 0, 6, 0]]
    rates = rates_of({"course": course, "course_of_errors": [0, 3], "revisits": {"outlook": {"budget": 12}}})
    assert rates is not None
    assert [(plot.name, plot.now) for plot in rates.plots][:2] == [("visits a day", 12.0), ("errors a day", 6.0)]


def test_a_crawl_keeps_the_course_of_its_errors_beside_that_of_its_visits() -> None:
    record, told = ProgressRecord(), {}
    for tick in range(1, 1001):
        seen = statistics(2.0 * tick, 0)
        seen.outcomes.clear()
        seen.outcomes.update({"fetched": 7 * tick, "robots": tick, "client_error": 3 * tick, "dns_failure": tick})
        told = record.as_json(seen)
    assert told["course_of_errors"] == [2 * point[0] for point in told["course"]]


@pytest.mark.parametrize(
    "values, top",
    [([], 1.0), ([0.0, 0.0], 1.0), ([5.1], 6.0), ([101.0], 120.0), ([0.11], 0.12), ([7.0, 8.0], 8.0), ([99.0], 100.0)],
)
def test_an_axis_ends_a_little_above_the_highest_value(values: list[float], top: float) -> None:
    assert fitting_top(values) == pytest.approx(top)


def test_one_peak_does_not_press_the_rest_flat_and_is_told() -> None:
    values = [500.0, *[5.0] * 60]
    plot = rate_plot("pages a second", [float(each) for each in range(61)], values, 5.0, is_bytes=False)
    assert plot.line is not None
    assert (plot.line.top, plot.peak) == (8.0, 500.0)
    heights = [float(point.split(",")[1]) for point in plot.line.points.split()]
    assert heights[0] == 0.0
    assert 0 < heights[1] < HEIGHT / 2


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=100))
def test_an_axis_fits_what_is_usual(values: list[float]) -> None:
    top = fitting_top(values)
    usual = sorted(values)[int(0.9 * (len(values) - 1))]
    assert top >= usual * (1 - 1e-6)
    assert max(values) <= 0 or top <= 2 * max(values)


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=200), st.data())
def test_every_value_under_the_pointer_is_a_value_of_the_course(gaps: list[float], data: st.DataObject) -> None:
    seconds = [sum(gaps[: place + 1]) for place in range(len(gaps))]
    values = data.draw(st.lists(st.floats(0, 100), min_size=len(gaps), max_size=len(gaps)))
    found = spots(seconds, values)
    assert len(found) == min(len(gaps), 60)
    assert {(each.seconds, each.value) for each in found} <= set(zip(seconds, values, strict=True))
    assert [each.seconds for each in found] == sorted(each.seconds for each in found)
