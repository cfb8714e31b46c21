"""What holds of every model of the web graph."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.lab.models import MODELS
from hinterland.lab.models.configuration import ConfigurationModel
from hinterland.lab.models.copying import CopyingModel
from hinterland.lab.models.model import UnusableModel
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.models.preferential import PreferentialModel
from hinterland.lab.models.random_crawl import RandomCrawlModel


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_same_seed_gives_the_same_graph_and_another_another(name: str) -> None:
    model = MODELS[name]()
    first, again, other = (model.draw(500, seed).graph for seed in (1, 1, 2))
    assert np.array_equal(first.targets, again.targets)
    assert np.array_equal(first.offsets, again.offsets)
    assert not np.array_equal(first.targets, other.targets)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("page_count", [1, 2, 10])
@pytest.mark.parametrize("seed", [0, -1, 2**70])
def test_the_smallest_graphs_can_be_drawn_with_any_seed(name: str, page_count: int, seed: int) -> None:
    parameters = {"least_outdegree": 1} if "least_outdegree" in MODELS[name].__dataclass_fields__ else {}
    assert 1 <= MODELS[name](**parameters).draw(page_count, seed).graph.page_count <= page_count


@pytest.mark.parametrize("name", MODELS)
def test_a_graph_without_pages_or_with_too_many_is_refused(name: str) -> None:
    for page_count in (0, 2**31):
        with pytest.raises(UnusableModel, match=f"the number of pages is {page_count}; a graph has 1 to"):
            MODELS[name]().draw(page_count, 1)


@pytest.mark.parametrize(
    "model, parameters, message",
    [
        (CopyingModel, {"uniform": 1.5}, "uniform is 1.5; a probability"),
        (CopyingModel, {"links": 0}, "links is 0; each page"),
        (PreferentialModel, {"attractiveness": 0.0}, "attractiveness is 0.0; it is above 0"),
        (PennockModel, {"preferential": float("nan")}, "preferential is nan"),
        (ConfigurationModel, {"indegree_exponent": 1.0}, "indegree_exponent is 1.0; an exponent is above 1"),
        (ConfigurationModel, {"least_outdegree": 0}, "least_outdegree is 0"),
        (RandomCrawlModel, {"order": "best"}, "order is best; there are bfs, dfs, deg, rnd"),
        (RandomCrawlModel, {"crawled": 0.0}, "crawled is 0.0; a share"),
        (RandomCrawlModel, {"seeds": 0}, "seeds is 0"),
        (RandomCrawlModel, {"linkless": 1.1}, "linkless is 1.1; a probability"),
        (RandomCrawlModel, {"outdegree_exponent": 0.5}, "outdegree_exponent is 0.5"),
    ],
)
def test_parameters_out_of_range_are_named(model: type, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(UnusableModel, match=message):
        model(**parameters)


def test_a_least_degree_that_leaves_no_room_is_refused() -> None:
    with pytest.raises(UnusableModel, match="the least degree is 9; it is below the 5 pages"):
        ConfigurationModel(least_outdegree=9).draw(5, 1)
