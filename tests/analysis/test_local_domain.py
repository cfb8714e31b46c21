"""Local domains of stored graphs: by name, and by the rule of the experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from hinterland.analysis.graph import Graph
from hinterland.analysis.local_domain import DomainRule, covering_seeds, groups_of, hosts_of, pages_of, suitable_domains
from hinterland.analysis.stored_graph import StoredGraph, UnusableGraph

URLS = ["http://www.a.gov/", "http://www.a.gov:80/x", "http://b.a.gov/", "https://c.com/d/", "https://c.com/e"]
SITES = ["one.ca", "two.org", "three.CA", "blog.org/four"]
LABELS = ["subject.History.Rome;subject.People", "subject.People.Kings", "", "subject.History"]


def stored(names: Sequence[str] | None = None, labels: Sequence[str] | None = None) -> StoredGraph:
    count = len(names or labels or ())
    return StoredGraph("g", Graph.from_links([], [], count), names, labels)


def meant(graph: StoredGraph, wanted: str) -> list[int]:
    return np.flatnonzero(pages_of(graph, wanted)).tolist()


@pytest.mark.parametrize(
    "wanted, pages",
    [
        ("www.a.gov", [0]),
        ("WWW.A.gov", [0]),
        ("www.a.gov:80", [1]),
        ("a.gov", [0, 1, 2]),
        (".gov", [0, 1, 2]),
        ("https://c.com/d/", [3]),
    ],
)
def test_a_name_means_a_host_a_suffix_of_hosts_or_a_prefix_of_urls(wanted: str, pages: list[int]) -> None:
    assert meant(stored(URLS), wanted) == pages


def test_a_suffix_ends_at_a_dot() -> None:
    with pytest.raises(UnusableGraph, match="no page of g"):
        pages_of(stored(URLS), "om")


def test_site_names_are_grouped_by_their_endings() -> None:
    graph = stored(SITES)
    assert meant(graph, ".ca") == meant(graph, "ca") == [0, 2]
    assert hosts_of(graph).tolist() == [0, 1, 0, 1]


def test_labels_count_from_the_first_part_that_tells_them_apart() -> None:
    graph = stored(["A", "B", "C", "D"], LABELS)
    assert groups_of(graph).names == ["History", "People"]
    assert meant(graph, "History") == [0, 3]
    assert meant(graph, "People") == [1]
    assert meant(graph, "subject.People") == [0]
    assert meant(graph, "Rome") == [0]
    assert hosts_of(graph).tolist() == [0, 1, 2, 0]
    assert groups_of(stored(None, ["left", "right", "left"])).names == ["left", "right"]


def test_blocks_are_hosts_and_so_is_each_stretch_between_them() -> None:
    blocks = np.array([-1, 7, 7, -1, -1, 3], np.int32)
    graph = StoredGraph("g", Graph.from_links([], [], 6), blocks=blocks)
    assert hosts_of(graph).tolist() == [0, 1, 1, 2, 2, 3]
    assert meant(graph, "7") == meant(graph, "block 7") == [1, 2]
    assert groups_of(graph).names == ["block 3", "block 7"]


def test_a_name_that_means_nothing_is_an_error_with_names_near_to_it() -> None:
    with pytest.raises(UnusableGraph, match=r"'wwww\.a\.gov': similar hosts are www\.a\.gov"):
        pages_of(stored(URLS), "wwww.a.gov")
    with pytest.raises(UnusableGraph, match=r"its largest hosts are c\.com, www\.a\.gov"):
        pages_of(stored(URLS), "nowhere")
    with pytest.raises(UnusableGraph, match="no names, labels or blocks"):
        pages_of(StoredGraph("g", Graph.from_links([], [], 1)), "x")


def test_without_a_name_a_store_says_what_is_local() -> None:
    assert pages_of(replace(stored(URLS), is_local=np.array([True] * 2 + [False] * 3)), None).sum() == 2
    with pytest.raises(UnusableGraph, match="choose them with --local"):
        pages_of(stored(URLS), None)


# --- the rule -----------------------------------------------------------------------------------

RULE = DomainRule(min_pages=2, min_frontier=1, min_l1=0.02, min_reach=2.0)


def web() -> StoredGraph:
    """Host a of two pages links out; beyond it lie four pages, which favour the first page of a."""
    urls = ["http://a.test/", "http://a.test/1", *(f"http://b.test/{page}" for page in range(4))]
    return StoredGraph("web", Graph.from_links([0, 1, 1, 2, 3, 4, 5], [1, 0, 2, 3, 4, 5, 0], 6), urls)


def test_a_domain_with_a_choice_of_pages_and_an_error_to_correct_satisfies_the_rule() -> None:
    (found,) = suitable_domains(web(), RULE)  # b has no four outside pages in reach
    assert found.domain.name == "web a.test"
    assert found.domain.page_count == 2
    assert (found.frontier, found.reachable) == (1, 4)
    truth = found.domain.truth[:2] / found.domain.truth[:2].sum()
    assert found.l1_alone == pytest.approx(np.abs(truth - 0.5).sum())  # each of the two links to the other


@pytest.mark.parametrize(
    "changed",
    [
        replace(RULE, min_pages=3),
        replace(RULE, min_frontier=2),
        replace(RULE, min_l1=0.9),
        replace(RULE, min_reach=2.5),
    ],
)
def test_every_part_of_the_rule_can_leave_a_domain_out(changed: DomainRule) -> None:
    assert "web a.test" not in [each.domain.name for each in suitable_domains(web(), changed)]


def test_blocks_have_limits_of_their_own_and_only_the_largest_are_examined() -> None:
    graph = replace(web(), names=None, blocks=np.array([5, 5, 6, 6, 6, 6], np.int32))
    rule = replace(RULE, min_block_pages=2, min_block_frontier=1)
    assert [each.domain.name for each in suitable_domains(graph, rule)] == ["web block 5"]
    assert not list(suitable_domains(graph, replace(rule, largest_blocks=1)))
    assert not list(suitable_domains(graph, RULE))


def test_seeds_reach_the_whole_domain_over_its_own_links() -> None:
    graph = Graph.from_links([0, 1, 3, 4], [1, 2, 4, 5], 6)
    pages = np.array([1, 0, 2, 3, 5], np.int32)  # page 4 is not of the domain, so 3 does not reach 5
    assert covering_seeds(graph, pages).tolist() == [1, 0, 3, 5]
