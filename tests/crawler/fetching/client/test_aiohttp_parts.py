"""A crawl does not begin with an aiohttp that lacks what ours is fitted to."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest
from aiohttp.client_proto import ResponseHandler

from hinterland.crawler.fetching.client.aiohttp_parts import check_aiohttp
from hinterland.crawler.fetching.client.fetcher import Fetcher
from hinterland.crawler.settings import FetchingSettings
from hinterland.errors import MissingPackage


async def test_the_aiohttp_that_is_installed_has_all_parts() -> None:
    await check_aiohttp()


@pytest.mark.parametrize(
    "owner, part",
    [
        (aiohttp.BaseConnector, "_factory"),
        (ResponseHandler, "_payload"),
        (aiohttp.ClientSession, "_retry_connection"),
    ],
)
async def test_a_part_that_is_gone_keeps_a_crawl_from_beginning(
    owner: Any, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = owner.__init__

    def begin_without(self: Any, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        delattr(self, part)

    monkeypatch.setattr(owner, "__init__", begin_without)
    with pytest.raises(
        MissingPackage, match=rf"aiohttp .* lacks {owner.__name__}\.{part}.*to get a version that has it"
    ):
        async with Fetcher(FetchingSettings(), "test", lambda: 0.0):
            pass


async def test_a_method_that_is_gone_keeps_a_crawl_from_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(aiohttp.BaseConnector, "_release")
    with pytest.raises(MissingPackage, match=r"lacks BaseConnector\._release"):
        await check_aiohttp()
