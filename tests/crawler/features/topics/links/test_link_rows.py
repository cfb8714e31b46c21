"""The links that a learner keeps."""

from __future__ import annotations

import numpy as np
import pytest

from hinterland.crawler.features.topics.links.link_features import LinkFeatures
from hinterland.crawler.features.topics.links.link_rows import LINKS_A_PAGE, LinkRows
from tests.support.link_features import features_of


def appended(rows: LinkRows, source: int, targets: list[int], features: list[list[int]]) -> None:
    numbers = np.array(targets, np.int32)
    rows.append(source, numbers, numbers % 3, features_of(features))


def test_links_are_kept_in_the_order_they_were_met_with_their_features() -> None:
    rows = LinkRows()
    appended(rows, 0, [3, 5], [[1, 2], []])
    appended(rows, 3, [5], [[7]])
    assert rows.sources.tolist() == [0, 0, 3]
    assert rows.targets.tolist() == [3, 5, 5]
    assert rows.hosts.tolist() == [0, 2, 2]
    assert rows.features.ends.tolist() == [2, 2, 3]
    assert rows.features.features.tolist() == [1, 2, 7]


def test_of_the_links_to_one_page_the_first_few_are_kept() -> None:
    rows = LinkRows()
    for source in range(10):
        appended(rows, source, [99, source + 100], [[source], [source]])
    assert rows.sources_of(99) == list(range(LINKS_A_PAGE))[::-1]
    assert rows.sources_of(109) == [9]
    assert rows.sources_of(100_000) == []


def test_it_grows_without_end_and_what_was_seen_of_it_stays() -> None:
    rows = LinkRows()
    appended(rows, 0, [1], [[5, 6]])
    before = rows.features
    for source in range(1, 60):
        targets = [1000 * source + n for n in range(100)]
        appended(rows, source, targets, [[source] * 10 for _ in targets])
    assert rows.count == 1 + 59 * 100
    assert len(rows.features) == rows.count
    assert rows.features.part(5901 - 100, 5901).features.tolist() == [59] * 1000
    assert before.features.tolist() == [5, 6]


def test_features_are_summed_link_by_link() -> None:
    weights = np.arange(10, dtype=np.float64)
    links = features_of([[1, 2], [], [9]])
    assert links.summed(weights).tolist() == [3.0, 0.0, 9.0]
    assert links.those(np.array([True, False, True])).summed(weights).tolist() == [3.0, 9.0]
    assert links.part(1, 3).summed(weights).tolist() == [0.0, 9.0]
    assert links.part(0, 0).summed(weights).tolist() == []


def test_features_that_do_not_fit_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="lengths do not match: 1 links, 3 features, 3 likenesses"):
        LinkFeatures.unpacked(b"\x02", bytes(6), bytes(12))
