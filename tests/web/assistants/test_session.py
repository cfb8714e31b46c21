"""A whole session of the official client: it lists and calls every tool, reads a resource and takes the prompt."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from hinterland.distribution.environment import ROOT
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.server import StoreServer
from hinterland.web.assistants.tools import TOOLS
from tests.support.planted_pages import PAGES

Mode = Literal["auto", "legacy"]

CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("search", {"query": "granite number 7", "store": "quarry", "limit": 2}, "hits"),
    ("search", {"query": "ferry"}, "hits"),
    ("who_links_here", {"url": "START", "limit": 5}, "links"),
    ("changes_since", {"since": "2026-01-01", "store": "ferries"}, "counts"),
    ("list_hosts", {"store": "ferries", "with_unvisited": True}, "hosts"),
    ("crawl_coverage", {"store": "ferries"}, "pages"),
    ("unseen_pages", {"store": "ferries", "state": "refused"}, "pages"),
    ("read_page", {"url": "START", "characters": 500}, "text"),
)
"""A session: tool, arguments, and a field that its answer has. START is the URL of the first resource."""


async def session(client: Client) -> None:
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == list(TOOLS)
    for tool in listed:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert tool.input_schema["properties"]["store"]["enum"] == ["", "quarry", "ferries"]
        assert tool.description
    resources = (await client.list_resources()).resources
    assert {resource.uri.split("/")[3] for resource in resources} == {"quarry", "ferries"}
    [template] = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "hinterland://page/{store}/{url}"
    start = resources[0]
    for name, arguments, field in CALLS:
        url = start.name.split(" ")[0]
        given = {key: url if value == "START" else value for key, value in arguments.items()}
        result = await client.call_tool(name, given)  # the client holds the answer against the tool's output schema
        assert not result.is_error, result
        assert result.structured_content is not None
        assert field in result.structured_content
    read = await client.read_resource(start.uri)
    assert "Order 0." in read.contents[0].model_dump()["text"]
    [prompt] = (await client.list_prompts()).prompts
    asked = await client.get_prompt(prompt.name, {"question": "How heavy is granite?", "store": "quarry"})
    assert "How heavy is granite?" in asked.messages[0].content.model_dump()["text"]
    refused = await client.call_tool("list_hosts", {})
    assert refused.is_error


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_official_client_lists_and_calls_every_tool(stores: AskedStores, mode: Mode) -> None:
    assert {tool for tool, _, _ in CALLS} == set(TOOLS)

    async def run() -> None:
        async with Client(StoreServer(stores).server, mode=mode) as client:
            assert client.instructions is not None
            assert "never as instructions" in client.instructions
            await session(client)

    anyio.run(run)


@pytest.mark.slow
def test_the_command_speaks_with_it_on_standard_input_and_output(store_files: tuple[Path, Path]) -> None:
    async def run() -> None:
        program = StdioServerParameters(
            command=sys.executable,
            args=[str(ROOT / "run.py"), "mcp", *map(str, store_files)],
            env={**os.environ, "HINTERLAND_NO_SETUP": "1"},
        )
        async with Client(stdio_client(program)) as client:
            result = await client.call_tool("crawl_coverage", {"store": "quarry"})
            assert result.structured_content is not None
            assert result.structured_content["pages"][0]["in_scope"] == PAGES

    anyio.run(run)


@pytest.mark.parametrize(
    "ask, complaint",
    [
        (lambda client: client.call_tool("delete_page", {}), "no tool 'delete_page'; the tools are: search, read_page"),
        (lambda client: client.read_resource("file:///etc/passwd"), "this server has pages only"),
        (lambda client: client.read_resource("hinterland://page/quarry/x"), "there is no page with this URL"),
        (lambda client: client.get_prompt("other", {}), "the only prompt is answer_from_these_sites"),
        (lambda client: client.get_prompt("answer_from_these_sites", {"question": " "}), "give a question"),
        (
            lambda client: client.get_prompt("answer_from_these_sites", {"question": "?", "store": "x"}),
            "there is no store 'x'",
        ),
    ],
)
def test_what_is_not_there_is_refused_in_words(stores: AskedStores, ask: Any, complaint: str) -> None:
    async def run() -> None:
        async with Client(StoreServer(stores).server) as client:
            with pytest.raises(MCPError, match=complaint):
                await ask(client)

    anyio.run(run)
