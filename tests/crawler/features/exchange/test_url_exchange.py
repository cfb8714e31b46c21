"""What one shard of a crawl has for others, without the others."""

from __future__ import annotations

from hinterland.crawler.features.exchange.assignment import Shards
from hinterland.crawler.features.exchange.url_exchange import UrlExchange
from hinterland.crawler.frontier.pages.discoveries import Discoveries
from hinterland.crawler.frontier.pages.known_pages import KnownPages
from hinterland.crawler.frontier.pages.scope import Scope
from hinterland.crawler.loop.decisions.moments import PagesFound
from hinterland.crawler.settings import ScopeSettings
from hinterland.storage.values.shards import HandedOver


def test_what_a_store_says_again_does_not_take_back_a_shorter_way() -> None:
    shards = Shards(2)
    here, there = (next(n for n in range(99) if shards.owner(f"http://s{n}.test") == owner) for owner in (0, 1))
    known = KnownPages(Scope(ScopeSettings(kind="web")), max_depth=9)
    exchange = UrlExchange(shards, 0, known, has_depth_limit=True)
    known.add_seeds([f"http://s{here}.test/"], Discoveries())
    discoveries = Discoveries()
    [page] = known.add_links([f"http://s{there}.test/"], None, 0, discoveries)
    exchange.discovered(PagesFound(discoveries, lambda page: 0))
    exchange.restore([HandedOver(page, shard=1, depth=3, redirects=0)])
    assert exchange.unsent == {1: {page: 1}}
    exchange.acknowledged(1, [(page, 1)])
    assert not exchange.unsent_count
