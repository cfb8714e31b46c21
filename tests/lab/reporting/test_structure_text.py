"""Figures and laws as people read them, and all of them as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from hinterland.lab.reporting.figure_text import MEANINGS, law_sentences, movement, told, with_error
from hinterland.lab.reporting.structure_json import as_json
from hinterland.lab.reporting.structure_view import structure_view
from hinterland.lab.structure.course import Drift
from hinterland.lab.structure.figures import Figure
from hinterland.lab.structure.laws import law
from hinterland.lab.structure.power_law import drawn
from tests.support.structure import some_report

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "value, error, text",
    [
        (12.8426, 0.195, "12.84 ± 0.20"),
        (1.78501, 0.0204, "1.785 ± 0.020"),
        (1234.5, 60.0, "1,234 ± 60"),
        (20.5889, None, "20.6"),
        (127.0, None, "127"),
        (0.00691, 0.0, "0.00691"),
        (0.0, None, "0"),
    ],
)
def test_a_figure_has_as_many_digits_as_it_is_sure_of(value: float, error: float | None, text: str) -> None:
    assert with_error(value, error) == text


def test_shares_are_shown_in_percent() -> None:
    assert told("core", Figure(0.5994)) == "59.9 %"
    assert told("connected pairs", Figure(0.4289, 0.0139)) == "42.9 ± 1.4 %"


def test_the_end_of_a_course_is_described() -> None:
    ends = ((9, True), (1, False), (-1, False))
    moves = [movement(Drift("core", [0.5, 1.0], [], change, is_settled)) for change, is_settled in ends]
    assert moves == ["settled", "still rising", "still falling"]


def test_a_law_says_whether_it_fits_the_data() -> None:
    rng = np.random.default_rng(1)
    good = " ".join(law_sentences(law(drawn(2.2, 1, 5_000, rng), rng)))
    assert good.startswith("Exponent 2.")
    assert "fitted to all values" in good
    assert "does not rule out a power law" in good
    bad = " ".join(law_sentences(law(rng.poisson(4, 5_000) + 1, rng)))
    assert "fits better (log-likelihood" in bad
    assert law_sentences(law(np.array([1, 2]), rng)) == ["There are too few values to fit a law."]


def test_every_figure_of_a_report_has_a_meaning() -> None:
    assert set(some_report().figures) <= set(MEANINGS)


def test_the_view_has_a_picture_for_what_there_is() -> None:
    view = structure_view(some_report())
    assert {picture.title for picture in view.discovery} == {"Discovery", "Where links lead", "PageRank collected"}
    assert view.distances is not None
    assert view.cores is not None
    assert next(row.cells[-1] for row in view.drifts if row.label == "Core").endswith("%")
    assert sum(share for _, _, _, share in view.regions) == pytest.approx(1)


def test_the_numbers_are_json_that_any_program_reads() -> None:
    report = some_report()
    found = json.loads(json.dumps(as_json(report), allow_nan=False))
    assert found["figures"]["core"] == {"value": report.figures["core"].value, "error": None}
    assert list(found["regions"]) == ["core", "in", "out", "tube", "tendril", "disconnected"]
    assert sum(found["regions"].values()) == report.crawled
    assert found["distances"]["pairs"][0] == report.crawled
    assert found["drifts"][0]["shares"][-1] == 1
