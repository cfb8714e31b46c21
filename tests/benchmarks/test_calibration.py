"""The constants of the predicted error are learnt from webs, each as much as another, and tried on those left out."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest

from benchmarks.calibration.crawls import QUANTILES, WIDTHS, Crawl, Seen
from benchmarks.calibration.fitting import fitted, moments, weighted_quantiles
from benchmarks.calibration.report import judged
from hinterland.analysis.estimates.crawl_signs import CrawlSigns
from hinterland.analysis.estimates.error_formula import predicted


def crawl(graph: str, domain: int, random: np.random.Generator, factor: float) -> Crawl:
    """Return a crawl whose error is `factor` times what its corrections reveal, give or take a tenth."""
    revealed = exp(random.uniform(log(0.02), log(0.3)))
    signs = CrawlSigns(random.uniform(0.2, 0.8), random.uniform(0.0, 0.5))
    found = []
    for outside in (10, 25, 50, 100, 200):
        true = revealed * factor * exp(random.normal(0, 0.1))
        pages = [true * share for share in QUANTILES]
        found.append(Seen(outside, true, revealed, signs, pages, [min(width / true, 1.0) for width in WIDTHS]))
    return Crawl(graph, f"{graph} {domain}", "bfs", 2.0, 30, 100, found)


def crawls(**factors: float) -> list[Crawl]:
    random = np.random.default_rng(5)
    return [crawl(graph, domain, random, factor) for graph, factor in factors.items() for domain in range(12)]


def test_a_law_that_all_webs_share_is_found_and_its_bound_holds_nine_times_in_ten_on_each_left_out() -> None:
    made = crawls(a=2.0, b=2.0, c=2.0, d=2.0)
    constants = fitted(moments(made, str))
    told = predicted(0.1, CrawlSigns(0.5, 0.25), constants)
    assert told.l1 == pytest.approx(0.2, rel=0.1)
    assert told.at_most / told.l1 == pytest.approx(exp(0.128), rel=0.1)
    seen = list(judged(made, str, None))
    assert {one.group for one in seen} == set("abcd")
    assert np.mean([one.is_below for one in seen]) == pytest.approx(0.9, abs=0.06)


def test_a_bound_is_as_wide_as_webs_differ_however_well_each_is_predicted_by_itself() -> None:
    constants = fitted(moments(crawls(a=0.5, b=1.0, c=2.0, d=4.0), str))
    assert constants.bound > log(2)
    assert constants.bound_if_unlike > constants.bound


def test_webs_of_one_source_weigh_as_one() -> None:
    alone = fitted(moments(crawls(a=1.0, b=4.0), str))
    many = crawls(a=1.0, b=4.0, b2=4.0, b3=4.0, b4=4.0)
    together = fitted(moments(many, lambda graph: graph[0]))
    apart = fitted(moments(many, str))
    signs = CrawlSigns(0.5, 0.25)
    of_one, of_many, of_each = (predicted(0.1, signs, each).l1 for each in (alone, together, apart))
    assert of_one == pytest.approx(of_many, rel=0.2)
    assert of_each > 1.2 * of_many


def test_quantiles_go_by_weight() -> None:
    values = np.array([3.0, 1.0, 2.0])
    assert weighted_quantiles(values, np.array([1.0, 1.0, 8.0]), [0.05, 0.5, 0.95]) == [1.0, 2.0, 3.0]
