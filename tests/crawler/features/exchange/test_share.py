from __future__ import annotations

import pytest

from hinterland.crawler.features.exchange.share import share_of
from hinterland.crawler.settings import FetchingSettings, ParsingSettings, PolitenessSettings, Settings
from hinterland.crawler.settings.rules import Complaint


def test_all_shards_together_open_as_many_connections_to_an_address_as_one_crawl() -> None:
    settings = Settings(politeness=PolitenessSettings(address_connections=9))
    assert share_of(settings, 4, 1).politeness.address_connections == 2


def test_no_limit_stays_no_limit() -> None:
    settings = Settings(politeness=PolitenessSettings(address_connections=0))
    assert share_of(settings, 4, 1).politeness.address_connections == 0


def test_fewer_connections_than_shards_cannot_be_shared_out() -> None:
    settings = Settings(politeness=PolitenessSettings(address_connections=3))
    with pytest.raises(Complaint, match="address_connections = 3: too few connections to one address for 4 shards"):
        share_of(settings, 4, 1)


def test_fewer_visits_under_way_than_shards_cannot_be_shared_out() -> None:
    settings = Settings(fetching=FetchingSettings(max_in_flight=2))
    with pytest.raises(Complaint, match="max_in_flight = 2: too few visits under way for 8 shards"):
        share_of(settings, 8, 1)


def test_requests_and_parsers_are_shared_out_and_each_shard_has_one_at_least() -> None:
    settings = Settings(fetching=FetchingSettings(max_in_flight=10), parsing=ParsingSettings(processes=2))
    share = share_of(settings, 4, 2)
    assert (share.fetching.max_in_flight, share.parsing.processes) == (2, 1)
