"""The web of very many hosts, what it notices, and a crawl of a few of them."""

from __future__ import annotations

import asyncio
from math import inf

import pytest

from benchmarks.many_hosts import Load, measured
from benchmarks.many_hosts_server import Hosts, address_of, serving
from hinterland.crawler.fetching.answers import Answer, BodyLimits
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.settings import FetchingSettings


def test_every_host_has_an_address_of_its_own() -> None:
    assert address_of(0) == "127.1.0.0"
    assert address_of(20_000) == "127.1.78.32"
    assert len({address_of(host) for host in range(70_000)}) == 70_000


def test_a_request_that_comes_too_early_is_noticed_at_its_own_host_only() -> None:
    hosts = Hosts(2, kilobytes=1)
    for host, asked, answered in [(0, 1.0, 1.5), (1, 1.6, 1.7), (0, 3.0, 3.5), (0, 4.25, 5.0)]:
        hosts.asked(host, asked)
        hosts.answered(host, answered, answered)
    served = hosts.served()
    assert (served.requests, served.hosts, served.shortest_gap) == (4, 2, 0.75)
    assert Hosts(1, kilobytes=1).served().shortest_gap == inf


def test_a_pause_of_the_server_while_it_writes_makes_no_gap_too_short() -> None:
    """The crawl may have the answer at 1.0, and the server may hear of that at 1.4 only."""
    hosts = Hosts(1, kilobytes=1)
    hosts.asked(0, 0.9)
    hosts.answered(0, 1.0, 1.4)
    hosts.asked(0, 2.0)
    served = hosts.served()
    assert served.shortest_gap == pytest.approx(1.0)
    assert served.shortest_from_after == pytest.approx(0.6)
    assert served.longest_write == pytest.approx(0.4)


async def test_every_page_is_one_and_leads_to_others() -> None:
    with serving(3, kilobytes=2, cpu=None) as server:
        async with Fetcher(
            FetchingSettings(allow_networks=("127.0.0.0/8",)), "Hinterland", asyncio.get_running_loop().time
        ) as fetcher:
            url = f"http://{address_of(2)}:{server.port}/"
            robots, page = [await fetcher.fetch(url + path, BodyLimits(None, 10_000)) for path in ("robots.txt", "7")]
        assert server.served().requests == 2
    assert isinstance(robots, Answer)
    assert isinstance(page, Answer)
    assert robots.body.startswith(b"User-agent: *")
    assert b"<title>Page 7 of host 2</title>" in page.body
    assert page.body.count(b"<a href=") == 10
    assert 2048 < len(page.body) < 3072


@pytest.mark.slow
def test_a_crawl_of_a_few_hosts_lets_each_of_them_rest() -> None:
    result = measured(Load(5, rest=0.2, kilobytes=1, seconds=4.0, crawler_cpu=None, server_cpu=None))
    assert result.hosts_seen == 5
    assert result.visits > 0
    assert result.ideal == pytest.approx(25)
    assert 0.2 <= result.shortest_gap < inf
