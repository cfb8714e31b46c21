"""A headless browser and a server, in an event loop of their own: one for all tests of a process.

The browser is a Chromium of the system; nothing is downloaded, and it can reach this machine alone.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aiohttp import web

from hinterland.web.application import application
from hinterland.web.review_page import Review
from hinterland.web.search_service import SearchService
from tests.support.fake_index import FakeIndex

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

T = TypeVar("T")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WITHOUT_WINDOWS = shutil.which("chromium-headless-shell") or CHROMIUM
"""The same engine takes a third of the CPU time if it draws no windows that nobody sees; Debian has it."""
BROWSER_ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
_SECONDS = 600  # where twenty programs are under way the longest takes two minutes
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


class BrowserLoop:
    """Runs coroutines beside a browser, from tests that are no coroutines themselves."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._over = asyncio.Event()
        self._browser: asyncio.Future[Browser] = self._loop.create_future()
        self._playing = asyncio.run_coroutine_threadsafe(self._play(), self._loop)
        self.run(lambda _: asyncio.sleep(0))

    def run(self, scenario: Callable[[Browser], Awaitable[T]]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(_SECONDS):
                done = await asyncio.wait(
                    (self._browser, asyncio.wrap_future(self._playing)), return_when="FIRST_COMPLETED"
                )
                assert self._browser in done[0], self._playing.exception()
                return await scenario(self._browser.result())

        return asyncio.run_coroutine_threadsafe(bounded(), self._loop).result(_SECONDS + 10)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._playing.result(_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_SECONDS)
        self._loop.close()

    async def _play(self) -> None:
        from playwright.async_api import async_playwright

        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=WITHOUT_WINDOWS, args=[*BROWSER_ARGUMENTS])
            self._browser.set_result(browser)
            await self._over.wait()
            await browser.close()


@dataclass
class Visitor:
    """A tab, where the server is, and what the tab complained about."""

    page: Page
    base: str
    complaints: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        await self.page.goto(self.base + path, wait_until="load")

    async def violations(self) -> list[str]:
        """Of the content security policy, by the document that is open."""
        found: list[str] = await self.page.evaluate("window.violations")
        return found


@asynccontextmanager
async def served(
    store: Path, searches: SearchService | None = None, review: Review | None = None
) -> AsyncIterator[str]:
    """The address of a server of this store."""
    app = application(
        store, searches or FakeIndex(store), only_this_machine=True, live_interval_seconds=0.1, review=review
    )
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def visiting(
    browser: Browser,
    store: Path,
    *,
    searches: SearchService | None = None,
    review: Review | None = None,
    **context: Any,
) -> AsyncIterator[Visitor]:
    """A tab in front of a server of this store, closed at the end."""
    async with served(store, searches, review) as base:
        tabs = await browser.new_context(**context)
        try:
            await tabs.add_init_script(_WATCH)
            page = await tabs.new_page()
            visitor = Visitor(page, base)
            page.on("console", lambda message: visitor.complaints.append(message.text))
            page.on("pageerror", lambda error: visitor.complaints.append(str(error)))
            page.on("dialog", lambda dialog: visitor.complaints.append(f"dialog: {dialog.message}"))
            yield visitor
        finally:
            await tabs.close()


Scenario = Callable[["Browser"], Coroutine[object, object, T]]
