"""The MCP server: it offers the tools, the resources and the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import mcp_types as types
from anyio import CapacityLimiter, to_thread
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from hinterland.crawler import __version__
from hinterland.web.assistants import prompts
from hinterland.web.assistants.asked_stores import AskedStores, CannotAnswer
from hinterland.web.assistants.calls import called
from hinterland.web.assistants.quoting import one_line
from hinterland.web.assistants.resources import TEMPLATE, NoResource, page_named, start_pages
from hinterland.web.assistants.schemas import schema_of
from hinterland.web.assistants.tools import TOOLS

T = TypeVar("T")
Context = ServerRequestContext[object]
Paged = types.PaginatedRequestParams | None

_THREADS: Final = 4
_LONGEST_NAME: Final = 100
_LONGEST_QUESTION: Final = 4_000
_MARKDOWN: Final = "text/markdown"
_READS_ONLY: Final = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class StoreServer:
    """The handlers of a server for some stores. Questions are answered in threads, a few at a time."""

    def __init__(self, stores: AskedStores) -> None:
        """Take the stores; nothing is opened yet."""
        self._stores = stores
        self._threads = CapacityLimiter(_THREADS)
        self.server: Server[object] = Server(
            "hinterland",
            version=__version__,
            title="Hinterland: crawled sites",
            instructions=prompts.instructions(stores.names),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await to_thread.run_sync(work, limiter=self._threads, abandon_on_cancel=True)

    async def _list_tools(self, _: Context, __: Paged) -> types.ListToolsResult:
        tools = [
            types.Tool(
                name=name,
                title=tool.title,
                description=tool.description,
                input_schema=schema_of(tool.arguments, self._stores.names),
                output_schema=schema_of(tool.answers),
                annotations=_READS_ONLY,
            )
            for name, tool in TOOLS.items()
        ]
        return types.ListToolsResult(tools=tools)

    async def _call_tool(self, _: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(asked.name)
        if tool is None:
            known = ", ".join(TOOLS)
            raise MCPError(
                types.INVALID_PARAMS,
                f"there is no tool {one_line(asked.name, _LONGEST_NAME)!r}; the tools are: {known}",
            )
        result = await self._in_thread(lambda: called(tool, self._stores, asked.arguments or {}))
        return types.CallToolResult(
            content=[types.TextContent(text=result.text)],
            structured_content=None if result.values is None else dict(result.values),
            is_error=result.values is None,
        )

    async def _list_resources(self, _: Context, __: Paged) -> types.ListResourcesResult:
        starts = await self._in_thread(lambda: list(start_pages(self._stores)))
        resources = [types.Resource(uri=page.uri, name=page.name, mime_type=_MARKDOWN) for page in starts]
        return types.ListResourcesResult(resources=resources)

    async def _list_templates(self, _: Context, __: Paged) -> types.ListResourceTemplatesResult:
        pages = types.ResourceTemplate(
            uri_template=TEMPLATE,
            name="page",
            title="A crawled page",
            description="The beginning of the stored text of a page. Store and URL are percent-encoded.",
            mime_type=_MARKDOWN,
        )
        return types.ListResourceTemplatesResult(resource_templates=[pages])

    async def _read_resource(self, _: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        try:
            store, url = page_named(asked.uri)
        except NoResource as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        arguments = {"url": url, "store": store, "characters": 20_000}
        result = await self._in_thread(lambda: called(TOOLS["read_page"], self._stores, arguments))
        if result.values is None:
            raise MCPError(types.INVALID_PARAMS, result.text)
        page = types.TextResourceContents(uri=asked.uri, mime_type=_MARKDOWN, text=result.text)
        return types.ReadResourceResult(contents=[page])

    async def _list_prompts(self, _: Context, __: Paged) -> types.ListPromptsResult:
        prompt = types.Prompt(
            name=prompts.NAME,
            title=prompts.TITLE,
            description=prompts.DESCRIPTION,
            arguments=[
                types.PromptArgument(name="question", description="What you want to know.", required=True),
                types.PromptArgument(name="store", description=f"One of: {', '.join(self._stores.names)}; or empty."),
            ],
        )
        return types.ListPromptsResult(prompts=[prompt])

    async def _get_prompt(self, _: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        given = asked.arguments or {}
        question, store = given.get("question", "").strip(), given.get("store", "")
        if asked.name != prompts.NAME:
            raise MCPError(types.INVALID_PARAMS, f"the only prompt is {prompts.NAME}")
        if not question or len(question) > _LONGEST_QUESTION:
            raise MCPError(types.INVALID_PARAMS, f"give a question of at most {_LONGEST_QUESTION:,} characters")
        try:
            self._stores.chosen(store)
        except CannotAnswer as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        text = types.TextContent(text=prompts.answer_from_these_sites(question, store))
        return types.GetPromptResult(
            description=prompts.DESCRIPTION, messages=[types.PromptMessage(role="user", content=text)]
        )


async def serve_stdio(stores: AskedStores) -> None:
    """Serve on standard input and output until the input ends."""
    server = StoreServer(stores).server
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())
