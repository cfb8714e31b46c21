"""Labels of pages, by their text and those of their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import FloatArray, Graph
from hinterland.crawler.features.topics.links.relaxation import UNKNOWN, relaxed


def chances(*of_first: float) -> FloatArray:
    first = np.array(of_first)
    return np.column_stack((first, 1 - first))


def two_crowds(size: int = 10) -> Graph:
    """Each page links to all others of its crowd, and one link leads from crowd to crowd."""
    links = [(i, j) for crowd in (0, size) for i in range(crowd, crowd + size) for j in range(crowd, crowd + size)]
    sources, targets = zip(*links, (0, size), strict=True)
    return Graph.from_links(sources, targets, 2 * size)


def test_a_page_in_doubt_is_what_the_pages_around_it_are() -> None:
    text = chances(0.5, *[0.9] * 9, 0.5, *[0.1] * 9)
    found = relaxed(two_crowds(), text)
    assert found.is_stable
    assert found.chances[0, 0] > 0.9
    assert found.chances[10, 0] < 0.1


def test_a_page_that_says_itself_what_it_is_about_is_not_drowned() -> None:
    found = relaxed(two_crowds(), chances(0.9999, *[0.3] * 9, *[0.1] * 10))
    assert found.chances[0, 0] > 0.9


def test_few_labels_spread_over_a_crowd_whose_texts_say_nothing() -> None:
    known = np.full(20, UNKNOWN, np.int32)
    known[[1, 2]], known[[11, 12]] = 0, 1
    found = relaxed(two_crowds(), chances(*[0.5] * 20), known)
    assert (found.chances[:10, 0] > 0.5).all()
    assert (found.chances[10:, 0] < 0.5).all()


def test_labels_that_are_known_stay() -> None:
    known = np.full(20, UNKNOWN, np.int32)
    known[3] = 1
    found = relaxed(two_crowds(), chances(*[0.9] * 10, *[0.1] * 10), known)
    assert found.chances[3].tolist() == [0, 1]


def test_links_may_lead_from_class_to_class() -> None:
    rng = np.random.default_rng(1)
    there, back = rng.integers(0, 200, 2000), rng.integers(200, 400, 2000)
    graph = Graph.from_links([*there, *back], [*back, *there], 400)
    found = relaxed(graph, chances(0.5, *[0.9] * 199, 0.5, *[0.1] * 199))
    assert found.chances[0, 0] > 0.9
    assert found.chances[200, 0] < 0.1


@pytest.mark.parametrize("links", [([], []), ([0], [0])])
def test_without_links_the_text_alone_counts(links: tuple[list[int], list[int]]) -> None:
    text = chances(0.7, 0.2)
    assert np.allclose(relaxed(Graph.from_links(*links, 2), text).chances, text)


def test_chances_sum_to_one_with_more_classes_and_certain_texts() -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_links(rng.integers(0, 50, 300), rng.integers(0, 50, 300), 50)
    text = rng.dirichlet([0.1] * 4, 50)
    text[0] = [1, 0, 0, 0]
    found = relaxed(graph, text)
    assert np.allclose(found.chances.sum(1), 1)
    assert np.isfinite(found.chances).all()


def test_what_does_not_get_stable_says_so() -> None:
    found = relaxed(two_crowds(), chances(*[0.6] * 10, *[0.4] * 10), max_rounds=1)
    assert (found.rounds, found.is_stable) == (1, False)


def test_an_empty_graph_has_no_labels() -> None:
    assert relaxed(Graph.from_links([], [], 0), np.empty((0, 2))).chances.shape == (0, 2)


@pytest.mark.parametrize("shape", [(3, 2), (2, 1), (2,)])
def test_shapes_that_do_not_fit_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        relaxed(Graph.from_links([0], [1], 2), np.ones(shape))
