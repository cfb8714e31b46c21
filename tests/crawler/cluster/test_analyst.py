"""A policy ranks the pages that wait in all shards as it would rank those of a single crawl."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from hinterland.analysis import mmap_graph
from hinterland.analysis.graph_delta import Cursor
from hinterland.analysis.link_log import LinkLog
from hinterland.crawler.cluster.analyst import Analyst
from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.shared_graph import SharedGraph
from hinterland.crawler.frontier.frontier import Frontier
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.frontier.waiting_pages import FloatArray, IntArray
from hinterland.crawler.policies import make_policy
from hinterland.crawler.settings import PolitenessSettings, ScopeSettings
from hinterland.crawler.urls.url_names import UrlNames

Web = Mapping[str, Sequence[str]]

HOSTS = [f"http://s{number}.test" for number in range(8)]


def some_web() -> Web:
    """Most links stay in their site; two lead to another, and some out of the domain."""
    rng = np.random.default_rng(7)
    web = {}
    for host in HOSTS:
        for page in range(12):
            own = [f"{host}/{number}" for number in rng.integers(0, 12, 4)]
            others = [f"{HOSTS[number % 8]}/{number // 8}" for number in rng.integers(0, 96, 2)]
            outside = [f"http://outside.example/{number}" for number in rng.integers(0, 20, 1)]
            web[f"{host}/{page}"] = list(dict.fromkeys([*own, *others, *outside]))
    return web


class Unvisited(Frontier):
    """Of which pages are taken without its saying."""

    def __init__(self) -> None:
        super().__init__(PolitenessSettings(), random=float)
        self.visited: list[int] = []

    def urgencies(self) -> tuple[IntArray, FloatArray]:
        pages, urgencies = super().urgencies()
        waits = ~np.isin(pages, self.visited)
        return pages[waits], urgencies[waits]


class Part:
    """One of several shards, without its engine."""

    def __init__(self, web: Web, number: int, of: int, policy: str) -> None:
        self.web = web
        self.number = number
        self.shards = Shards(of)
        scope = Scope(ScopeSettings(kind="web", exclude=("outside",)))
        self.known = KnownPages(scope, max_depth=None, names=UrlNames())
        self.log, self.urls = LinkLog(), list[str]()
        self.frontier = Unvisited()
        self.policy = make_policy(policy, 0)
        self.graph = SharedGraph(self.shards, number, self.known, self.log, self.frontier, self.policy)

    def seed(self, url: str) -> None:
        found = Discoveries()
        self.known.add_seeds([url], found)
        self._take_up(found)

    def visit(self, url: str) -> list[str]:
        """Returns what it leads to."""
        page, found = self.known.find(url), Discoveries()
        assert page is not None
        self.frontier.visited.append(page)
        pages = self.known.add_links(self.web[url], None, page, found)
        self.log.append(page, np.array(pages, np.int32))
        self.policy.fetched(page, np.array(pages, np.int32))
        self._take_up(found)
        return [each for each in self.web[url] if "outside" not in each]

    def hear_of(self, url: str) -> None:
        found = Discoveries()
        self.known.add_handed_over(url, 1, 0, found)
        self._take_up(found)

    def owns(self, url: str) -> bool:
        return self.shards.owner(url[: url.index("/", 8)]) == self.number

    def _take_up(self, found: Discoveries) -> None:
        self.urls += [each.url for each in found.new_pages]
        for _ in found.new_hosts:
            self.frontier.add_host()
        own = [page for page in found.admitted if self.owns(self.urls[page])]
        pages = np.array(own, np.int32)
        hosts = np.array([self.known.host_of(page) for page in own], np.int32)
        self.frontier.add(pages, hosts, np.ones(len(own)), 0.0)

    def waiting(self) -> list[str]:
        return [self.urls[page] for page in self.frontier.urgencies()[0].tolist()]


class Parts:
    """A crawl in several shards that visits the pages it is given."""

    def __init__(self, count: int, policy: str) -> None:
        web = some_web()
        self.parts = [Part(web, number, count, policy) for number in range(count)]
        self.analyst = Analyst(count, policy, 0, Path(tempfile.gettempdir()))
        for part in self.parts:
            part.seed(f"{HOSTS[0]}/0")

    def visit(self, urls: Sequence[str]) -> None:
        for url in urls:
            [owner] = [part for part in self.parts if part.owns(url)]
            for target in owner.visit(url):
                for part in self.parts:
                    if part.owns(target):
                        part.hear_of(target)

    def refresh(self) -> dict[str, float]:
        """The urgency of each page that waits."""
        deltas = [part.graph.learnt(since) for part, since in zip(self.parts, self.analyst.cursors(), strict=True)]
        asked = self.analyst.take([delta.packed() for delta in deltas])
        ends = [delta.until.pages for delta in deltas]
        asking = zip(self.parts, asked, ends, strict=True)
        self.analyst.answer([part.graph.begin_places(names, end)() for part, names, end in asking])
        found = dict[str, float]()
        for part, urgencies in zip(self.parts, self.analyst.urgencies(10), strict=True):
            found |= dict(zip(part.waiting(), urgencies.tolist(), strict=True))
            part.graph.rank(urgencies)
        return found


def order_of(parts: Parts, urls: Sequence[str]) -> list[str]:
    """Those of the first part first, as their links arrive."""
    return [url for part in parts.parts for url in urls if part.owns(url)]


@pytest.mark.parametrize("large_bytes", [mmap_graph.LARGE_BYTES, 1], ids=["in memory", "in files"])
@pytest.mark.parametrize("policy", ["pagerank", "opic", "indegree", "outlink-count", "flow", "sc-select"])
def test_a_policy_ranks_pages_in_three_shards_as_in_one(
    policy: str, large_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mmap_graph, "LARGE_BYTES", large_bytes)
    split, whole = Parts(3, policy), Parts(1, policy)
    urls = sorted(split.parts[0].web)
    visited = [[f"{HOSTS[0]}/0"]]
    for _ in range(3):
        split.visit(order_of(split, visited[-1]))
        whole.visit(order_of(split, visited[-1]))
        of_parts, of_all = split.refresh(), whole.refresh()
        assert of_parts.keys() == of_all.keys()
        assert [of_parts[url] for url in of_all] == pytest.approx(list(of_all.values()), rel=1e-4)
        known = {url for part in split.parts for url in part.waiting()}
        visited.append([url for url in urls if url in known][:15])


def test_outside_pages_that_two_shards_link_to_are_one_page() -> None:
    split = Parts(3, "indegree")
    split.visit([f"{HOSTS[0]}/0"])
    for host in HOSTS:
        for part in split.parts:
            if part.owns(f"{host}/1"):
                part.hear_of(f"{host}/1")
        split.visit([f"{host}/1"])
    split.refresh()
    seen = {url for part in split.parts for url in part.urls}
    assert split.analyst.cursors()[0].pages < len(seen)
    graph = split.analyst.graph()
    assert graph.page_count == len(seen)
    assert graph.is_local.sum() == len([url for url in seen if "outside" not in url])


def test_a_page_that_another_shard_named_before_its_own_shard_knew_it_keeps_its_number() -> None:
    split = Parts(2, "indegree")
    url = next(url for url in sorted(split.parts[0].web) if not split.parts[0].owns(url))
    split.parts[0].known.add_links([url], None, 0, Discoveries())
    split.refresh()
    before = split.analyst.graph().page_count
    split.parts[1].hear_of(url)
    split.refresh()
    assert split.analyst.graph().page_count == before


def test_what_a_shard_sends_twice_is_refused() -> None:
    split = Parts(2, "indegree")
    deltas = [part.graph.learnt(Cursor()).packed() for part in split.parts]
    split.refresh()
    with pytest.raises(ValueError, match="shard 0 sent a delta that begins at"):
        split.analyst.take(deltas)


def test_pages_that_were_found_since_keep_the_urgency_that_they_have() -> None:
    split = Parts(2, "pagerank")
    split.visit([f"{HOSTS[0]}/0"])
    told = split.refresh()
    part = next(part for part in split.parts if len(part.waiting()) > 1)
    part.hear_of(next(url for url in sorted(part.web) if part.owns(url) and url not in part.urls))
    snapshot = part.frontier.begin_reordering()
    urgencies = part.graph.take_over(snapshot)
    waiting = [part.urls[page] for page in snapshot.pages.tolist() if page not in part.frontier.visited]
    assert len(waiting) == len(told.keys() & set(waiting)) + 1
    named = dict(zip([part.urls[page] for page in snapshot.pages.tolist()], urgencies.tolist(), strict=True))
    assert [named[url] for url in waiting] == [told.get(url, 1.0) for url in waiting]
    assert not part.graph.is_ranked
