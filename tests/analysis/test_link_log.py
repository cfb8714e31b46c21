"""The log of a crawl's links, and the snapshots taken of it."""

from __future__ import annotations

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.link_log import LinkLog
from tests.support.webs import links_of


def row(*targets: int) -> np.typing.NDArray[np.int32]:
    return np.array(targets, np.int32)


def snapshot(log: LinkLog, page_count: int) -> CrawledGraph:
    return log.snapshot(np.ones(page_count, np.bool_), np.zeros(page_count, np.int32))


def test_a_log_grows_beyond_its_first_size_and_keeps_every_link() -> None:
    log, rng, links = LinkLog(), np.random.default_rng(1), set()
    for page in range(3000):
        targets = np.unique(rng.integers(3000, 6000, 20)).astype(np.int32)
        log.append(page, targets)
        links |= {(page, target) for target in targets.tolist()}
    crawled = snapshot(log, 6000)
    assert links_of(crawled.links) == links
    assert (log.page_count, log.link_count) == (3000, len(links))
    assert crawled.order.tolist() == list(range(3000))
    assert log.memory_bytes() <= 2 * (4 * len(links) + 12 * 3000)


def test_pages_added_together_are_as_if_added_one_by_one() -> None:
    rows = [(4, row(1, 4, 2)), (0, row()), (2, row(2)), (1, row(0, 3))]
    one_by_one, together = LinkLog(), LinkLog()
    for page, targets in rows:
        one_by_one.append(page, targets)
    together.append(*rows[0])
    together.extend(row(0, 2, 1), np.array([0, 1, 3]), row(2, 0, 3))
    together.append(3, row(4))
    one_by_one.append(3, row(4))
    expected, crawled = snapshot(one_by_one, 5), snapshot(together, 5)
    assert crawled.order.tolist() == expected.order.tolist() == [4, 0, 2, 1, 3]
    assert links_of(crawled.links) == links_of(expected.links) == {(4, 1), (4, 2), (1, 0), (1, 3), (3, 4)}


def test_a_snapshot_is_not_changed_by_what_follows() -> None:
    log = LinkLog()
    log.append(0, row(1, 2))
    before = snapshot(log, 3)
    for page in range(1, 5000):
        log.append(page, row(page + 1, page + 2, page + 3, page + 4))
    assert before.order.tolist() == [0]
    assert links_of(before.links) == {(0, 1), (0, 2)}
    assert snapshot(log, 6000).links.link_count == 2 + 4 * 4999


def test_a_self_link_is_dropped_wherever_it_stands() -> None:
    log = LinkLog()
    for page, targets in ((0, row(0, 1, 2)), (1, row(0, 1, 2)), (2, row(0, 1, 2)), (3, row(3)), (4, row())):
        log.append(page, targets)
    assert log.link_count == 6
    crawled = snapshot(log, 5)
    assert crawled.ends.tolist() == [2, 4, 6, 6, 6]
    assert crawled.targets.tolist() == [1, 2, 0, 2, 0, 1]


def test_an_empty_log_has_an_empty_snapshot() -> None:
    crawled = snapshot(LinkLog(), 3)
    assert (crawled.page_count, len(crawled.order), crawled.links.link_count) == (3, 0, 0)
    assert crawled.inner.page_count == 0
