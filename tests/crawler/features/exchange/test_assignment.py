from __future__ import annotations

from collections import Counter

from hinterland.crawler.features.exchange.assignment import Shards

HOSTS = [f"https://www.site{number}.example" for number in range(2000)]


def test_the_hosts_of_a_site_are_in_one_shard() -> None:
    shards = Shards(16)
    hosts = ("https://example.org", "http://www.example.org:8080", "https://a.b.example.org")
    assert len({shards.owner(host) for host in hosts}) == 1


def test_sites_are_spread_evenly() -> None:
    shards = Shards(8)
    sizes = Counter(map(shards.owner, HOSTS))
    assert len(sizes) == 8
    assert max(sizes.values()) < 1.25 * len(HOSTS) / 8


def test_with_one_shard_more_sites_move_to_it_alone_and_no_more_than_its_share() -> None:
    moved = [(Shards(9).owner(host), host) for host in HOSTS if Shards(8).owner(host) != Shards(9).owner(host)]
    assert {new for new, _ in moved} == {8}
    assert len(moved) < 1.2 * len(HOSTS) / 9


def test_the_shard_of_a_site_is_the_same_on_every_machine() -> None:
    assert [Shards(64).owner(f"https://{name}.example") for name in ("a", "b", "c")] == [20, 57, 8]
