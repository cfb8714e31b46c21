"""Renders one page in a browser, from its first byte to its final state."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Awaitable, Callable
from contextlib import suppress
from html import escape
from typing import Any, Final

import msgspec
from playwright.async_api import Browser, BrowserContext, CDPSession, Page
from playwright.async_api import Error as PlaywrightError

from hinterland.crawler.features.rendering.allowance import FETCHED, STYLESHEET
from hinterland.crawler.features.rendering.messages import (
    CRASHED,
    PageToRender,
    RenderConfig,
    Shown,
    SubresourceRequest,
    SubresourceResponse,
)
from hinterland.crawler.features.rendering.shadow_roots import opened
from hinterland.crawler.fetching.decoding import ContentDecodingError, decode_content

_OPEN_SECONDS: Final = 30.0
"""Time limit for opening an empty window, which may never happen if the browser's processes are killed from outside."""
_PATIENCE_SECONDS: Final = 10.0
"""Time limit for operations that a browser does immediately unless it hangs."""
_MANY_REQUESTS: Final = 500
"""A page that makes more requests than this, of any type, is assumed to make them endlessly."""

_STATE: Final = "[document.readyState, document.getElementsByTagName('*').length]"
_CONTENT: Final = """(() => {
  const roots = [];
  const collect = (node) => {
    for (const each of node.querySelectorAll("*"))
      if (each.shadowRoot) { roots.push(each.shadowRoot); collect(each.shadowRoot); }
  };
  collect(document);
  const root = document.documentElement;
  const html = root.cloneNode(false).outerHTML.replace("</html>", "") + root.getHTML({shadowRoots: roots});
  return [html.slice(0, %d), document.querySelector("base[href]") ? "" : location.href];
})()"""
"""Returns the content. It runs in an isolated world, so that the page cannot redefine the names it uses."""


class PageRendering:
    """The rendering of one page; `shown` may be called once.

    `ask` sends a SubresourceRequest to the crawl. The crawl's answer must be passed to `take_response`.
    """

    def __init__(
        self,
        browser: Browser,
        config: RenderConfig,
        page: PageToRender,
        ask: Callable[[msgspec.Struct], Awaitable[None]],
    ) -> None:
        """Prepare without opening a window."""
        self._browser = browser
        self._config = config
        self._page = page
        self._ask = ask
        self._body = b""
        self._has_begun = False
        self._moved_to = ""
        self._targets: set[str] = set()
        self._is_enough = asyncio.Event()
        self._problem = ""
        self._answers: dict[int, asyncio.Future[SubresourceResponse]] = {}
        self._requests = 0
        self._ended_requests = 0
        self._received = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._session: CDPSession
        self._frame = ""
        self._world = 0
        self._crash = asyncio.Event()

    def take_response(self, given: SubresourceResponse) -> None:
        """Take the crawl's answer to a request."""
        answer = self._answers.pop(given.number, None)
        if answer is not None and not answer.done():
            answer.set_result(given)

    async def shown(self) -> Shown:
        """Render the page. Raises PlaywrightError if the browser has ended."""
        try:
            self._body = decode_content(self._page.body, self._page.content_encoding, self._config.max_bytes)
        except ContentDecodingError as error:
            return Shown(problem=str(error))
        try:
            async with asyncio.timeout(_OPEN_SECONDS):
                context = await self._opened_window()
        except TimeoutError:
            return Shown(problem="the browser opened no window", is_ended=True, is_lost=True)
        try:
            shown = await self._watched_until_it_crashes()
        finally:
            for task in self._tasks:
                task.cancel()
        if shown.is_ended:  # with all its windows
            return shown
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                await context.close()
        except TimeoutError:
            return msgspec.structs.replace(shown, is_ended=True)
        return shown

    async def _opened_window(self) -> BrowserContext:
        """Open an empty window in a new context, and listen to the page's requests."""
        context = await self._browser.new_context(
            user_agent=self._config.agent, accept_downloads=False, service_workers="block", bypass_csp=True
        )
        page = await context.new_page()
        context.on("page", self._close)
        page.on("crash", self._has_crashed)
        self._session = await context.new_cdp_session(page)
        tree = await self._session.send("Page.getFrameTree")
        self._frame = tree["frameTree"]["frame"]["id"]
        self._session.on("Fetch.requestPaused", self._on_request)
        self._session.on("Page.frameRequestedNavigation", self._on_navigation_announced)
        await self._session.send("Page.enable")
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return context

    async def _watched_until_it_crashes(self) -> Shown:
        """Watch the page until it is rendered or its process crashes.

        After a crash, the session with the browser raises no error; it only stops answering.
        """
        watched, crash = asyncio.create_task(self._watched()), asyncio.create_task(self._crash.wait())
        try:
            await asyncio.wait([watched, crash], return_when=asyncio.FIRST_COMPLETED)
            if watched.done():
                return watched.result()
            return Shown(problem=CRASHED, is_ended=True, is_lost=True)
        finally:
            for task in (watched, crash):
                task.cancel()
            await asyncio.gather(watched, crash, return_exceptions=True)

    async def _watched(self) -> Shown:
        patience = self._config.timeout_seconds + self._page.rest_seconds
        try:
            async with asyncio.timeout(patience):
                await self._session.send("Page.navigate", {"url": self._page.url})
                await self._wait_until_quiet()
        except TimeoutError:
            self._problem = f"it was not done in {patience:g} s"
        if self._moved_to:
            return Shown(moved_to=self._moved_to)
        return await self._final_state()

    async def _final_state(self) -> Shown:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                if self._problem:  # scripts that never end would block the call
                    await self._session.send("Page.setWebLifecycleState", {"state": "frozen"})
                    await self._session.send("Runtime.terminateExecution")
                html, base = await self._evaluate(_CONTENT % self._config.max_bytes)
        except TimeoutError:
            return Shown(problem=f"{self._problem or 'it was done'}, and then stopped responding", is_ended=True)
        if base == "about:blank":  # the initial page of every window
            return Shown(problem=self._problem or "it did not start loading")
        if base.partition("#")[0] not in (self._page.url, ""):
            html = html.replace("<head>", f'<head><base href="{escape(base)}">', 1)
        return Shown(f"<!DOCTYPE html>{opened(html)}".encode("utf-8", "replace"), problem=self._problem)

    async def _wait_until_quiet(self) -> None:
        """Wait until the page is loaded, and for a while has fetched nothing and kept the same number of elements."""
        state = await self._evaluate(_STATE)
        while not self._is_enough.is_set():
            requests, before = self._requests, state
            with suppress(TimeoutError):
                async with asyncio.timeout(self._config.quiet_seconds):
                    await self._is_enough.wait()
            state = await self._evaluate(_STATE)
            if requests == self._requests == self._ended_requests and state == before and state[0] == "complete":
                return

    async def _evaluate(self, expression: str) -> Any:
        if not self._world:
            what = {"frameId": self._frame, "worldName": "reading"}
            self._world = (await self._session.send("Page.createIsolatedWorld", what))["executionContextId"]
        answer = await self._session.send(
            "Runtime.evaluate", {"expression": expression, "contextId": self._world, "returnByValue": True}
        )
        return answer["result"]["value"]

    # ---------------------------------------------------------------- requests of the page

    def _on_navigation_announced(self, event: dict[str, Any]) -> None:
        if event["disposition"] == "currentTab" and event["frameId"] == self._frame:
            self._targets.add(event["url"].partition("#")[0])

    def _on_request(self, event: dict[str, Any]) -> None:
        self._requests += 1
        if self._requests > _MANY_REQUESTS:
            self._problem = self._problem or "it made too many requests"
            self._is_enough.set()
            return
        task = asyncio.create_task(self._answer(event, self._requests))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, event: dict[str, Any], number: int) -> None:
        request, kind = event["request"], event["resourceType"].lower()
        with suppress(PlaywrightError, ConnectionError):  # the page or the crawl has ended
            if kind == "document":
                await self._on_navigation(event)
            elif request["method"] == "OPTIONS":  # a CORS preflight, which we answer ourselves
                await self._fulfil(event, SubresourceResponse(0, 204))
            elif kind in FETCHED or kind == STYLESHEET:
                self._answers[number] = asyncio.get_running_loop().create_future()
                await self._ask(SubresourceRequest(number, request["url"], kind, request["method"]))
                await self._fulfil(event, await self._answers[number])
            else:
                await self._refuse(event)
        self._ended_requests += 1

    async def _on_navigation(self, event: dict[str, Any]) -> None:
        request = event["request"]
        is_main = event["frameId"] == self._frame
        if is_main and not self._has_begun:
            self._has_begun = True
            await self._send(event, 200, {"content-type": self._page.content_type or "text/html"}, self._body)
            return
        url = request["url"].partition("#")[0]
        is_elsewhere = url in self._targets and url != self._page.url  # a download is not announced
        if is_main and is_elsewhere and self._page.moves and request["method"] == "GET":
            self._moved_to = self._moved_to or url
            self._is_enough.set()
        await self._refuse(event)

    async def _fulfil(self, event: dict[str, Any], given: SubresourceResponse) -> None:
        body = self._decoded(given)
        if body is None:
            await self._refuse(event)
            return
        asked = {name.lower(): value for name, value in event["request"]["headers"].items()}
        headers = {
            "access-control-allow-origin": asked.get("origin", "*"),
            "access-control-allow-credentials": "true",
            "access-control-allow-methods": "*",
            "access-control-allow-headers": asked.get("access-control-request-headers", "*"),
        }
        if given.content_type is not None:
            headers["content-type"] = given.content_type
        await self._send(event, given.status, headers, body)

    async def _send(self, event: dict[str, Any], status: int, headers: dict[str, str], body: bytes) -> None:
        answer = {
            "requestId": event["requestId"],
            "responseCode": status,
            "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
            "body": b64encode(body).decode(),
        }
        await self._session.send("Fetch.fulfillRequest", answer)

    async def _refuse(self, event: dict[str, Any]) -> None:
        await self._session.send("Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Aborted"})

    def _decoded(self, given: SubresourceResponse) -> bytes | None:
        """Return the decoded body of a response; None if it is refused, corrupt or too large."""
        if not given.status:
            return None
        try:
            body = decode_content(given.body, given.content_encoding, self._config.max_bytes)
        except ContentDecodingError:
            return None
        self._received += len(body)
        return body if self._received <= self._config.max_received_bytes else None

    def _has_crashed(self, _: Page) -> None:
        self._crash.set()

    def _close(self, window: Page) -> None:
        """Close another window that the page has opened."""

        async def close() -> None:
            with suppress(PlaywrightError):
                await window.close()

        task = asyncio.create_task(close())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
