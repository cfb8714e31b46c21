"""A program that drives a Chromium for the crawl. It is started as `python -m MODULE FD`; FD is an inherited socket.

It runs in its own process and session: Ctrl-C does not reach it, and the crawl can end it together with everything that
it has started. It ends when the crawl ends, even if the crawl is killed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, CDPSession, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from hinterland.crawler.features.rendering.browser.channel import Channel, channel
from hinterland.crawler.features.rendering.browser.chromium import ARGUMENTS, NOT_WANTED
from hinterland.crawler.features.rendering.browser.page_rendering import PageRendering
from hinterland.crawler.features.rendering.messages import (
    BrowserReady,
    PageToRender,
    RenderConfig,
    Shown,
    SubresourceResponse,
    ToBrowser,
)

_NICENESS: Final = 5
_LOOK_SECONDS: Final = 0.25
_LAUNCH_MILLISECONDS: Final = 120_000.0
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Serve requests on the socket given on the command line."""
    with suppress(OSError):
        os.nice(_NICENESS)
    asyncio.run(_serve(int(sys.argv[1])))


async def _serve(file: int) -> None:
    to_crawl: Channel[ToBrowser] = await channel(socket.socket(fileno=file), ToBrowser)
    try:
        config = await to_crawl.receive()
    except EOFError:
        return  # the crawl has ended already
    assert isinstance(config, RenderConfig)
    os.environ["TMPDIR"] = config.folder
    try:
        playwright = await async_playwright().start()
        await _Driver(to_crawl, config).serve(playwright)
    except ConnectionError:
        pass  # the crawl has ended, so nobody reads the answer
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        shutil.rmtree(config.folder, ignore_errors=True)
        os._exit(0)  # what is left of Playwright ends by itself


class _Driver:
    """One browser, which renders one page at a time."""

    def __init__(self, to_crawl: Channel[ToBrowser], config: RenderConfig) -> None:
        self._crawl = to_crawl
        self._config = config
        self._browser: Browser
        self._session: CDPSession
        self._process = 0
        self._showing: PageRendering | None = None
        self._end_reason = ""

    async def serve(self, playwright: Playwright) -> None:
        try:
            await self._launch(playwright)
        except PlaywrightError as error:
            await self._crawl.send(BrowserReady(problem=_one_line(error)))
            return
        try:
            await self._crawl.send(BrowserReady(self._process))
            tasks = [asyncio.create_task(work()) for work in (self._listen, self._watch_memory)]
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:  # also if the crawl has ended by now
            self._kill()
        for task in done:
            task.result()

    async def _launch(self, playwright: Playwright) -> None:
        config = self._config
        self._browser = await playwright.chromium.launch(
            executable_path=config.browser,
            args=[*ARGUMENTS, f"--js-flags=--max-old-space-size={config.max_memory_bytes >> 20}"],
            ignore_default_args=list(NOT_WANTED),
            chromium_sandbox=config.is_sandboxed,
            handle_sigint=False,
            handle_sigterm=False,
            handle_sighup=False,
            timeout=_LAUNCH_MILLISECONDS,
        )
        self._session = await self._browser.new_browser_cdp_session()
        self._process = next(process for kind, process in await self._processes() if kind == "browser")

    async def _listen(self) -> None:
        """Serve requests until the crawl disconnects or the browser must be restarted."""
        showing: asyncio.Task[bool] | None = None
        heard = asyncio.create_task(self._crawl.receive())
        try:
            while True:
                await asyncio.wait(
                    [heard] if showing is None else [heard, showing], return_when=asyncio.FIRST_COMPLETED
                )
                if showing is not None and showing.done():
                    if showing.result():
                        return
                    showing = None
                if heard.done():
                    match heard.result():
                        case PageToRender() as page:
                            showing = asyncio.create_task(self._show(page))
                        case SubresourceResponse() as given if self._showing is not None:
                            self._showing.take_response(given)
                    heard = asyncio.create_task(self._crawl.receive())
        except EOFError:
            return

    async def _show(self, page: PageToRender) -> bool:
        """Render a page; return whether the browser must be replaced before the next page."""
        self._showing = PageRendering(self._browser, self._config, page, self._crawl.send)
        try:
            shown = await self._showing.shown()
        except PlaywrightError as error:
            shown = Shown(problem=f"the browser failed: {_one_line(error)}", is_ended=True, is_lost=True)
        self._showing = None
        if self._end_reason:
            shown = Shown(problem=self._end_reason, is_ended=True)
        await self._crawl.send(shown)
        return shown.is_ended

    async def _watch_memory(self) -> None:
        """Kill the browser whenever it uses too much memory."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            processes: list[tuple[str, int]] = []
            with suppress(PlaywrightError):  # the browser has ended, which another call reports
                processes = await self._processes()
            if sum(_private_bytes(process) for _, process in processes) > self._config.max_memory_bytes:
                self._end_reason = f"the browser needed more than {self._config.max_memory_bytes >> 20} MiB"
                self._kill()

    async def _processes(self) -> list[tuple[str, int]]:
        """Return the type and the process id of each process of the browser."""
        found = await self._session.send("SystemInfo.getProcessInfo")
        return [(each["type"], each["id"]) for each in found["processInfo"]]

    def _kill(self) -> None:
        """Kill the browser with all its processes."""
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                kill(self._process, signal.SIGKILL)


def _private_bytes(process: int) -> int:
    """Return the resident memory that a process does not share, in bytes; 0 if unknown."""
    try:
        _, resident, shared, *_ = map(int, Path(f"/proc/{process}/statm").read_text(encoding="ascii").split())
    except OSError:
        return 0
    return (resident - shared) * _PAGE_BYTES


def _one_line(error: PlaywrightError) -> str:
    """Return the most informative line of Playwright's message.

    If a browser did not start, this is the line that the browser wrote.
    """
    lines = [line.strip() for line in error.message.splitlines() if line.strip() and "<launching>" not in line]
    said = (line for sign in ("FATAL", "ERROR", "[err]", "") for line in lines if sign in line)
    return next(said, "no reason is given")[:300]


if __name__ == "__main__":
    main()
