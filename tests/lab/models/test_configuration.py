"""Graphs whose degrees follow given laws, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import occurrences
from hinterland.lab.models.configuration import ConfigurationModel


@pytest.mark.slow
def test_no_page_has_more_links_or_is_linked_more_often_than_its_degrees_say() -> None:
    model = ConfigurationModel(least_outdegree=2)
    outdegrees, places, _ = model.degrees(5000, 4)
    drawn = model.draw(5000, 4)
    assert np.all(occurrences(drawn.sources, 5000) <= outdegrees)
    assert np.all(occurrences(drawn.targets, 5000) <= occurrences(places, 5000))
    assert len(drawn.sources) == min(outdegrees.sum(), len(places))


@pytest.mark.slow
def test_a_link_leads_to_a_page_as_often_as_the_page_has_places_for_links() -> None:
    model, seeds, difference, variance = ConfigurationModel(least_indegree=2), 2000, 0.0, 0.0
    for seed in range(seeds):
        _, places, _ = model.degrees(10, seed)
        share = np.mean(places == 0)
        difference += (model.draw(10, seed).targets[0] == 0) - share
        variance += share * (1 - share)
    assert abs(difference) < 4 * np.sqrt(variance)


def test_a_share_of_the_pages_may_have_no_links() -> None:
    outdegrees, _, _ = ConfigurationModel(linkless=0.3).degrees(20_000, 1)
    assert (outdegrees == 0).mean() == pytest.approx(0.3, abs=0.02)
    assert outdegrees[outdegrees > 0].min() == 4
    assert (ConfigurationModel().degrees(20_000, 1)[0] > 0).all()
