"""Charts are numbers of an SVG: every value at its place, every axis with round ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.lab.reporting.bow_tie_picture import HEIGHT as TIE_HEIGHT
from hinterland.lab.reporting.bow_tie_picture import WIDTH as TIE_WIDTH
from hinterland.lab.reporting.bow_tie_picture import bow_tie_picture
from hinterland.web.charts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Drawing,
    linear_axis,
    log_axis,
    spark,
)


def test_a_logarithmic_axis_has_powers_of_ten_at_its_ends() -> None:
    axis = log_axis("pages", [3, 4_200, 0])
    assert (axis.low, axis.high) == (1, 10_000)
    assert [text for _, text in axis.ticks] == ["1", "10", "100", "1,000", "10⁴"]
    assert [text for _, text in log_axis("share", [1.0, 2e-5]).ticks] == ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]
    assert (log_axis("x", []).low, log_axis("x", []).high) == (1, 10)


@given(st.floats(1e-6, 1e12))
def test_a_linear_axis_ends_at_a_round_number_a_little_above_the_largest(largest: float) -> None:
    axis = linear_axis("x", [largest])
    assert largest <= axis.high * (1 + 1e-9) <= 2 * largest * (1 + 1e-6)
    assert 2 <= len(axis.ticks) <= 6


def test_a_linear_axis_tells_shares_in_percent_and_large_numbers_in_short() -> None:
    assert [text for _, text in linear_axis("x", [0.09], is_share=True).ticks][-1] == "10 %"
    assert [text for _, text in linear_axis("x", [240_000]).ticks][-1] == "250 k"


def test_values_are_where_the_axes_have_them() -> None:
    drawing = Drawing(linear_axis("x", [10]), log_axis("y", [1, 100]))
    drawing.line([(0, 1), (10, 100), (5, 10), (5, 1e9)], "fit", "a line")
    drawing.dots([(10, 1)], "seen")
    drawing.whiskers([(5, 10, 9)])
    chart = drawing.chart("what it shows")
    right, top, bottom = WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
    middle = f"{(LEFT + right) / 2:g}"
    assert chart.lines[0].points == f"{LEFT},{bottom} {right},{top} {middle},{(top + bottom) / 2:g} {middle},{top}"
    assert chart.dots[0].places == [(right, bottom)]
    assert chart.whiskers[0].bars[0][1] == bottom
    assert chart.named == [("fit", "a line")]


def test_columns_stand_on_the_axis() -> None:
    drawing = Drawing(linear_axis("x", [4]), linear_axis("y", [1.0]))
    drawing.columns([(1, 0.5), (2, 1.0), (3, 0.0)], "seen")
    (columns,) = drawing.chart("").columns
    assert [y + height for _, y, _, height in columns.boxes] == [HEIGHT - BOTTOM] * 3
    assert columns.boxes[0][3] * 2 == columns.boxes[1][3]
    assert columns.boxes[2][3] == 0


def test_a_spark_spans_its_height() -> None:
    assert spark([1.0, 3.0, 2.0], [0.0, 0.5, 1.0]) == "3.0,22.0 48.0,4.0 93.0,13.0"
    assert spark([2.0, 2.0], [0.0, 1.0]) == "3.0,22.0 93.0,22.0"


@given(st.lists(st.integers(0, 10**6), min_size=6, max_size=6))
def test_the_bow_tie_is_drawn_within_its_frame(counts: list[int]) -> None:
    picture = bow_tie_picture(*counts)
    places = [(x, y) for _, x, y in picture.tendrils] + list(picture.islands)
    for wing in picture.wings:
        places += [(float(x), float(y)) for x, y in (corner.split(",") for corner in wing.split())]
    assert all(-20 <= x <= TIE_WIDTH + 20 and 0 <= y <= TIE_HEIGHT for x, y in places)
    assert [bool(part) for part in (*picture.wings, picture.tube, picture.islands)] == [
        bool(counts[place]) for place in (1, 2, 3, 5)
    ]


def test_wings_have_the_area_of_their_share() -> None:
    picture = bow_tie_picture(50, 25, 25, 0, 0, 0)
    (x1, y1), (x2, y2), (_, y3), (_, y4) = ([float(n) for n in c.split(",")] for c in picture.wings[1].split())
    area = (x2 - x1) * ((y4 - y1) + (y3 - y2)) / 2
    assert area == pytest.approx(3.14159 * picture.radius**2 / 2, rel=0.01)
