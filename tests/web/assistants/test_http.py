"""The same server by HTTP, beside the pages of `serve` and under the same rules of access."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from mcp import Client

from hinterland.web.application import application
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.http_service import HttpService
from hinterland.web.assistants.tools import TOOLS
from tests.support.fake_index import FakeIndex

ASKED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def served(store: Path, stores: AskedStores, **options: Any) -> AsyncIterator[TestClient[Any, Any]]:
    app = application(store, FakeIndex(store), services=[HttpService(stores)], **options)
    async with TestClient(TestServer(app)) as client:
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_official_client_speaks_with_it(
    store_files: tuple[Path, Path], stores: AskedStores, mode: str
) -> None:
    async with (
        served(store_files[0], stores, only_this_machine=True) as web,
        Client(str(web.make_url("/mcp")), mode=mode) as client,
    ):
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        answers = await asyncio.gather(
            *(client.call_tool("search", {"query": f"granite {n}", "store": "quarry", "limit": 1}) for n in range(5))
        )
        assert all(answer.structured_content and answer.structured_content["hits"] for answer in answers)


async def test_only_its_own_host_and_origin_may_ask(store_files: tuple[Path, Path], stores: AskedStores) -> None:
    async with served(store_files[0], stores, only_this_machine=True) as web:
        own = f"http://{web.host}:{web.port}"
        for headers, status in (
            ({}, 200),
            ({"Origin": own}, 200),
            ({"Origin": "https://evil.example"}, 403),
            ({"Origin": "null"}, 403),
            ({"Origin": f"http://{web.host}:1"}, 403),
            ({"Host": "evil.example"}, 421),
            ({"Host": "evil.example", "Origin": "http://evil.example"}, 421),
        ):
            async with web.post("/mcp", json=ASKED, headers={**ACCEPT, **headers}) as answer:
                assert answer.status == status, (headers, await answer.text())


async def test_behind_a_proxy_its_public_origin_may_ask(store_files: tuple[Path, Path], stores: AskedStores) -> None:
    async with served(store_files[0], stores, only_this_machine=True, base_url="https://a.example/crawl") as web:
        for origin, status in (("https://a.example", 200), ("https://b.example", 403)):
            async with web.post("/mcp", json=ASKED, headers={**ACCEPT, "Origin": origin}) as answer:
                assert answer.status == status


async def test_what_is_no_request_of_the_protocol_is_refused(
    store_files: tuple[Path, Path], stores: AskedStores
) -> None:
    async with served(store_files[0], stores, only_this_machine=True) as web:
        for body, status in ((b"{", 400), (b"[]", 400), (b"\xff", 400), (BytesIO(bytes(2_000_000)), 413)):
            async with web.post("/mcp", data=body, headers={**ACCEPT, "Content-Type": "application/json"}) as answer:
                assert answer.status == status, await answer.text()
        async with web.post("/mcp", data=b"x", headers=ACCEPT) as answer:
            assert answer.status >= 400
        async with web.get("/mcp", headers=ACCEPT) as answer:
            assert answer.status == 405
        listen = {**ASKED, "method": "subscriptions/listen"}
        modern = {**ACCEPT, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"}
        async with asyncio.timeout(30), web.post("/mcp", json=listen, headers=modern) as answer:
            assert answer.status >= 400
        async with web.get("/") as answer:
            assert answer.status == 200


async def test_without_it_nothing_answers_there(store_files: tuple[Path, Path]) -> None:
    app = application(store_files[0], FakeIndex(store_files[0]), only_this_machine=True)
    async with TestClient(TestServer(app)) as web, web.post("/mcp", json=ASKED, headers=ACCEPT) as answer:
        assert answer.status == 405
