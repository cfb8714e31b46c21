"""Measures of a topic, and what they say of too few examples."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hinterland.crawler.features.topics.model.examples import Example
from hinterland.crawler.features.topics.model.page_words import word_counts
from hinterland.crawler.features.topics.model.testing import f1, macro_f1, precision, recall, report

CHANCES = np.array([0.9, 0.8, 0.2, 0.7, 0.1, 0.1, 0.1, 0.1])
IS_ABOUT = np.array([True, True, True, False, False, False, False, False])


def judged(hosts: list[str], labels: list[bool], *, is_given: bool = True) -> list[Example]:
    page = word_counts("", [], "a page")
    return [
        Example(page, label, host, f"{host}/{place}", is_given)
        for place, (host, label) in enumerate(zip(hosts, labels, strict=True))
    ]


def test_the_measures_are_those_of_a_table_by_hand() -> None:
    # two of three found, two of three right; of the others four of five, four of five
    assert precision(CHANCES, IS_ABOUT) == pytest.approx(2 / 3)
    assert recall(CHANCES, IS_ABOUT) == pytest.approx(2 / 3)
    assert f1(CHANCES, IS_ABOUT) == pytest.approx(2 / 3)
    assert macro_f1(CHANCES, IS_ABOUT) == pytest.approx((2 / 3 + 4 / 5) / 2)


def test_precision_of_nothing_is_unknown() -> None:
    assert math.isnan(precision(np.array([0.1, 0.2]), np.array([True, False])))


def test_intervals_are_wider_where_whole_hosts_go_wrong() -> None:
    apart = judged([f"http://{number}.test" for number in range(8)], IS_ABOUT.tolist())
    together = judged(["http://a.test"] * 4 + ["http://b.test"] * 4, IS_ABOUT.tolist())
    few, many = (report(examples, CHANCES).macro_f1 for examples in (together, apart))
    assert few.value == many.value
    assert many.interval[0] < many.value < many.interval[1]
    assert few.interval != many.interval


def test_examples_chosen_by_words_are_not_counted() -> None:
    examples = [*judged(["http://a.test"] * 4, [True] * 4, is_given=False), *judged(["http://b.test"] * 4, [False] * 4)]
    found = report(examples, CHANCES)
    assert (found.yes, found.no, found.hosts_of_yes) == (0, 4, 0)


def test_few_hosts_are_warned_of() -> None:
    labels = [True] * 6 + [False] * 6
    chances = np.where(labels, 0.9, 0.1)
    enough = report(judged([f"http://{number}.test" for number in range(12)], labels), chances)
    assert not enough.warnings
    few = report(judged(["http://a.test"] * 6 + ["http://b.test"] * 6, labels), chances)
    assert any("take them as a hint" in warning for warning in few.warnings)
    assert any("too good" in warning for warning in few.warnings)
