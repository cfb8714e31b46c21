"""Models in which pages come one after the other: their degrees follow the laws that theory has for them."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import FloatArray, IntArray, occurrences
from hinterland.lab.models.copying import CopyingModel
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.models.preferential import PreferentialModel

PAGES = 200_000
DEGREES = 12


def shares(slope: float, constant: float) -> FloatArray:
    """Of the pages with degree 0, 1, …, when one with degree k gets (slope · k + constant) / t more links at step t:
    pₖ (1 + slope · k + constant) = pₖ₋₁ (slope · (k - 1) + constant), and p₀ (1 + constant) = 1."""
    found = [1 / (1 + constant)]
    for k in range(1, DEGREES):
        found.append(found[-1] * (slope * (k - 1) + constant) / (1 + slope * k + constant))
    return np.array(found)


def assert_follow(degrees: IntArray, expected: FloatArray) -> None:
    """Pages get links at each other's expense, so that the variance is not quite that of independent ones."""
    measured = np.bincount(degrees, minlength=DEGREES)[:DEGREES] / PAGES
    error = np.sqrt(expected * (1 - expected) / PAGES)
    assert np.all(np.abs(measured - expected) < 5 * error), (measured, expected)


@pytest.mark.slow
@pytest.mark.parametrize("links", [1, 5])
@pytest.mark.parametrize("uniform", [0.2, 0.5, 1.0])
def test_indegrees_of_the_copying_model(links: int, uniform: float) -> None:
    drawn = CopyingModel(links, uniform).draw(PAGES, 3)
    for place in range(links):  # the links at one place are copied from each other alone
        assert_follow(occurrences(drawn.targets[place::links], PAGES), shares(1 - uniform, uniform))


def test_links_of_the_copying_model_lead_to_earlier_pages() -> None:
    drawn = CopyingModel(3, 0.1).draw(1000, 1)
    assert np.all(drawn.targets[3:] < drawn.sources[3:])
    assert not drawn.targets[:3].any()


@pytest.mark.slow
@pytest.mark.parametrize("links, attractiveness", [(1, 1.0), (4, 2.0)])
def test_indegrees_of_preferential_attachment(links: int, attractiveness: float) -> None:
    drawn = PreferentialModel(links, attractiveness).draw(PAGES, 3)
    slope = links / (links + attractiveness)
    assert_follow(occurrences(drawn.targets, PAGES), shares(slope, slope * attractiveness))


@pytest.mark.parametrize("links, preferential", [(1, 0.5), (3, 0.9), (2, 0.0)])
def test_degrees_of_the_model_of_pennock(links: int, preferential: float) -> None:
    drawn = PennockModel(links, preferential).draw(PAGES, 3)
    degrees = occurrences(drawn.sources, PAGES) + occurrences(drawn.targets, PAGES)
    assert degrees.sum() == 2 * links * PAGES
    assert_follow(degrees, shares(preferential, 2 * links * (1 - preferential)))


def test_the_exponents_are_those_of_the_laws() -> None:
    assert CopyingModel(1, 0.5).indegree_exponent == 3
    assert PreferentialModel(4, 2.0).indegree_exponent == 2.5
    assert PennockModel(1, 0.5).degree_exponent == 3
    for slope, exponent in ((0.5, 3), (0.8, 2.25)):  # in the limit of the recursion, pₖ/pₖ₋₁ = 1 - exponent/k
        k = 1e6
        assert 1 - (slope * (k - 1) + 0.5) / (1 + slope * k + 0.5) == pytest.approx(exponent / k, rel=1e-4)
