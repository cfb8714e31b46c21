"""Where the seeds' hosts are: at those of others, or at addresses that are closed."""

from __future__ import annotations

import pytest

from hinterland.crawler.settings import FetchingSettings, IdentitySettings, Settings
from hinterland.library.crawls.public_hosts import addresses_of, closed_hosts, lacks_contact, network_of


@pytest.mark.parametrize(
    "seed, is_public",
    [
        ("http://8.8.8.8/", True),
        ("http://8.8.8.8:8080/", True),
        ("http://[2606:4700::1111]/", True),
        ("http://127.0.0.1:8000/", False),
        ("http://192.168.1.1/", False),
        ("http://localhost/", False),
        ("https://docs.example/", False),
        ("https://mapped.org/", True),
        ("https://mine.org/", False),
    ],
)
async def test_public_hosts_want_a_contact(seed: str, is_public: bool) -> None:
    fetching = FetchingSettings(
        addresses={"mapped.org": "8.8.8.8", "mine.org": "9.9.9.9"}, allow_networks=("9.9.9.0/24",)
    )
    addresses = await addresses_of([seed], fetching)
    assert lacks_contact(Settings(fetching=fetching), addresses) is is_public
    named = Settings(fetching=fetching, identity=IdentitySettings(contact="mailto:me@a.example"))
    assert not lacks_contact(named, addresses)


@pytest.mark.parametrize("seed, is_public", [("https://a.org/", True), ("https://docs.example/", False)])
async def test_behind_a_proxy_every_name_that_is_not_reserved_is_public(seed: str, is_public: bool) -> None:
    fetching = FetchingSettings(proxy="http://proxy.example:3128")
    addresses = await addresses_of([seed], fetching)
    assert lacks_contact(Settings(fetching=fetching), addresses) is is_public
    assert closed_hosts(addresses, fetching) == {}


@pytest.mark.parametrize(
    "seed, address, network",
    [
        ("http://localhost:8000/", "127.0.0.1", "127.0.0.0/8"),
        ("http://192.168.0.7/", "192.168.0.7", "192.168.0.7"),
        ("http://[fd00::7]:8000/", "fd00::7", "fd00::7"),
        ("https://two.example/", "10.0.0.1", "10.0.0.1"),
    ],
)
async def test_a_host_at_an_address_that_is_not_public_is_closed_until_its_network_is_allowed(
    seed: str, address: str, network: str
) -> None:
    fetching = FetchingSettings(addresses={"localhost": "127.0.0.1", "two.example": "10.0.0.1"})
    addresses = await addresses_of([seed, "http://8.8.8.8/"], fetching)
    [found] = closed_hosts(addresses, fetching).values()
    assert (found, network_of(found)) == (address, network)
    assert closed_hosts(addresses, FetchingSettings(allow_networks=(network,))) == {}
