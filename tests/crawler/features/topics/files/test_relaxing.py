"""Pages judged by their neighbours, too."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.crawler.features.topics.files.relaxing import with_neighbours
from hinterland.storage.values.topics import JudgementRecord


def in_two_groups(of: int = 10) -> Graph:
    """Pages 0 to 9 link to each other, so do 10 to 19; 20 was not judged."""
    pairs = [(group + i, group + j) for group in (0, of) for i in range(of) for j in range(of) if i != j]
    sources, targets = zip(*pairs, (0, 20), strict=True)
    return Graph.from_links(np.array(sources, np.int32), np.array(targets, np.int32), 21)


LINKS = in_two_groups()
BY_WORDS = [JudgementRecord(page, 0.4 if page in (3, 13) else 0.95 if page < 10 else 0.05) for page in range(20)]


def test_a_page_of_few_words_is_what_the_pages_around_it_are() -> None:
    done = with_neighbours(BY_WORDS, LINKS, {}, max_rounds=300)
    chances = {each.page: each.probability for each in done.judgements}
    assert chances[3] > 0.5 > chances[13]
    assert (done.gained, done.lost, done.is_stable) == (1, 0, True)
    assert list(chances) == list(range(20))


def test_what_somebody_has_said_stays() -> None:
    done = with_neighbours(BY_WORDS, LINKS, {3: False, 13: True}, max_rounds=300)
    chances = {each.page: each.probability for each in done.judgements}
    assert (chances[3], chances[13]) == (0.0, 1.0)
    assert (done.gained, done.lost) == (1, 0)


def test_it_says_if_labels_were_not_stable_in_time() -> None:
    done = with_neighbours(BY_WORDS, LINKS, {}, max_rounds=1)
    assert (done.rounds, done.is_stable) == (1, False)


def test_pages_that_the_graph_does_not_have_yet_are_left_out() -> None:
    done = with_neighbours([*BY_WORDS, JudgementRecord(21, 0.9)], LINKS, {}, max_rounds=1)
    assert max(each.page for each in done.judgements) == 19


def test_of_pages_without_links_the_words_are_all_there_is() -> None:
    links = Graph.from_links(np.zeros(0, np.int32), np.zeros(0, np.int32), 20)
    done = with_neighbours(BY_WORDS, links, {}, max_rounds=300)
    expected = [each.probability for each in BY_WORDS]
    assert [each.probability for each in done.judgements] == pytest.approx(expected)
