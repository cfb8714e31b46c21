"""What a crawl knows: derived from the rows of the pages in the order of their crawl."""

from __future__ import annotations

from hinterland.analysis.local_inlinks import local_inlink_counts
from tests.support.webs import crawl_of, graph_of, links_of, random_crawl

WEB = graph_of({0: [1, 2], 1: [3], 2: [0, 4], 3: [2, 5], 4: [], 5: [0]}, 6)


def test_it_knows_the_links_of_the_crawled_pages_alone() -> None:
    crawled = crawl_of(WEB, [2, 0, 4], [0, 1, 4])
    assert crawled.page_count == 6
    assert links_of(crawled.links) == {(2, 0), (2, 4), (0, 1), (0, 2)}
    assert crawled.order.tolist() == [2, 0, 4]
    assert crawled.crawled.tolist() == [0, 2, 4]
    assert crawled.is_crawled.tolist() == [True, False, True, False, True, False]
    assert crawled.local.tolist() == [0, 4]


def test_the_inner_graph_has_the_links_among_crawled_pages_under_their_places() -> None:
    inner = crawl_of(WEB, [2, 0, 4], []).inner
    assert inner.page_count == 3
    assert links_of(inner) == {(0, 1), (1, 0), (1, 2)}


def test_local_inlinks_are_counted_from_local_crawled_pages_only() -> None:
    crawled = crawl_of(WEB, [0, 1, 2, 3], [0, 3, 5])
    assert local_inlink_counts(crawled).tolist() == [0, 1, 2, 0, 0, 1]


def test_local_inlinks_of_random_crawls_are_those_of_their_links() -> None:
    for seed in range(10):
        _, crawled = random_crawl(seed)
        from_local = [target for source, target in links_of(crawled.links) if crawled.is_local[source]]
        assert local_inlink_counts(crawled).tolist() == [from_local.count(page) for page in range(40)]


def test_indegrees_counted_from_the_rows_are_those_of_the_graph() -> None:
    for seed in range(10):
        _, crawled = random_crawl(seed)
        assert crawled.indegrees.tolist() == crawled.links.indegrees.tolist()
