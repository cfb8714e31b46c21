"""A browser as the crawl uses it. The process that drives it is started when needed, and again after it has ended."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from typing import BinaryIO, Final

import msgspec

from hinterland.crawler.features.rendering.allowance import Allowance
from hinterland.crawler.features.rendering.browser.channel import Channel, channel
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable
from hinterland.crawler.features.rendering.browser.subrequests import Subrequests
from hinterland.crawler.features.rendering.messages import (
    CRASHED,
    BrowserReady,
    FromBrowser,
    PageToRender,
    RenderConfig,
    Shown,
    SubresourceRequest,
)
from hinterland.distribution.installation import code_folder, import_path

_START_SECONDS: Final = 180.0
_GRACE_SECONDS: Final = 60.0
"""Additional seconds to wait for the process after its time limit for a page."""
_END_SECONDS: Final = 5.0
_HUNG: Final = "the browser hung"
_TRIES: Final = 3
"""How many browsers may be lost while they render a page; after that the page counts as the cause."""
_RESTART_AFTER_PAGES: Final = 100
"""A browser is replaced after this many pages, because every page leaves something behind in it."""
_REPORT_BYTES: Final = 1 << 12
_REPORT_CHARACTERS: Final = 200
_LONGEST_FOLDER: Final = 32


class Browser:
    """A browser that renders one page at a time; `stop` must be called in the end."""

    def __init__(self, config: RenderConfig, subrequests: Subrequests) -> None:
        """Prepare without starting a process; `subrequests` fetches the resources that pages request."""
        self._config = config
        self._subrequests = subrequests
        self._pages = 0
        self._channel: Channel[FromBrowser] | None = None
        self._driver: asyncio.subprocess.Process
        self._folder = ""
        self._reports: BinaryIO
        """Takes the driver's standard error, which must not reach the terminal, even after the crawl has ended."""
        self.chromium = 0
        """The process group of Chromium, 0 if unknown."""
        self.lost = 0
        """How often a browser was lost and its page was rendered again by another."""

    async def start(self) -> None:
        """Start the driver process and its browser. Raises BrowserUnusable."""
        self._folder = tempfile.mkdtemp(prefix="hinterland-", dir=_short_folder())
        self._reports = await asyncio.to_thread(tempfile.TemporaryFile)
        ours, theirs = socket.socketpair()
        with theirs:
            self._driver = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",  # do not import from the working folder
                "-m",
                f"{__package__}.driver",
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                stderr=self._reports,
                cwd=code_folder(),
                env={**os.environ, "PYTHONPATH": import_path()},
                start_new_session=True,
            )
        self._channel = await channel(ours, FromBrowser)
        self._pages = 0
        config = msgspec.structs.replace(self._config, folder=self._folder)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await self._channel.send(config)
                ready = await self._channel.receive()
        except (EOFError, ConnectionError):
            ready = BrowserReady(problem=f"its driver process has ended{self._last_words()}")
        except TimeoutError:
            ready = BrowserReady(problem=f"it had not started after {_START_SECONDS:g} s")
        except BaseException:
            await self.stop()
            raise
        assert isinstance(ready, BrowserReady)
        self.chromium = ready.process
        if ready.problem:
            await self.stop()
            raise BrowserUnusable(f"{self._config.browser} cannot be started: {ready.problem}{_way_out(ready.problem)}")

    async def render(self, page: PageToRender, allowance: Allowance) -> Shown:
        """Render a page; if the browser is lost meanwhile, for instance because it was killed, use another one.

        If a browser hangs or crashes, the page may be the cause, so the page is tried only once more. Raises
        BrowserUnusable if the browser cannot be restarted.
        """
        for attempt in range(_TRIES - 1):
            shown = await self._render_once(page, allowance)
            if not shown.is_lost or (shown.problem in (_HUNG, CRASHED) and attempt > 0):
                return shown
            self.lost += 1
            allowance.begin()
        return await self._render_once(page, allowance)

    async def _render_once(self, page: PageToRender, allowance: Allowance) -> Shown:
        if self._channel is None:
            await self.start()
        assert self._channel is not None
        is_fine = False
        page = msgspec.structs.replace(page, rest_seconds=await self._subrequests.rest_seconds(page.url))
        try:
            async with asyncio.timeout(self._config.timeout_seconds + page.rest_seconds + _GRACE_SECONDS):
                await self._channel.send(page)
                shown = await self._serve_until_shown(self._channel, page.url, allowance)
            self._pages += 1
            is_fine = not shown.is_ended and self._pages < _RESTART_AFTER_PAGES
        except TimeoutError:
            shown = Shown(problem=_HUNG, is_lost=True)
        except (EOFError, ConnectionError, msgspec.DecodeError):
            shown = Shown(problem=f"the browser died{self._last_words()}", is_lost=True)
        finally:
            if not is_fine:
                await self.stop()
        return shown

    async def _serve_until_shown(self, talk: Channel[FromBrowser], url: str, allowance: Allowance) -> Shown:
        answering: set[asyncio.Task[None]] = set()

        async def answer(wanted: SubresourceRequest) -> None:
            given = await self._subrequests.answer(url, wanted, allowance)
            with suppress(ConnectionError):
                await talk.send(given)

        try:
            while True:
                message = await talk.receive()
                match message:
                    case Shown():
                        return message
                    case SubresourceRequest():
                        task = asyncio.create_task(answer(message))
                        answering.add(task)
                        task.add_done_callback(answering.discard)
        finally:
            for task in answering:
                task.cancel()
            await asyncio.gather(*answering, return_exceptions=True)

    async def stop(self) -> None:
        """End the browser with all its processes."""
        if self._channel is None:
            return
        self._channel.close()  # the process ends when the connection closes
        self._channel = None
        with suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await self._driver.wait()
        for group in (self._driver.pid, self.chromium):
            if group:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
        await self._driver.wait()
        self._reports.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _last_words(self) -> str:
        """Return the last line that the driver process wrote, in brackets, to end a sentence; "" if it wrote none."""
        size = self._reports.seek(0, os.SEEK_END)
        self._reports.seek(max(size - _REPORT_BYTES, 0))
        lines = self._reports.read().decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f" ({last[:_REPORT_CHARACTERS]})" if last else ""


def _short_folder() -> str:
    """Return a folder for temporary files.

    Its path is short, since paths of Chromium's sockets are limited to 107 bytes.
    """
    usual = tempfile.gettempdir()
    return usual if len(usual) <= _LONGEST_FOLDER else "/tmp"


def _way_out(problem: str) -> str:
    if "sandbox" in problem.lower():
        return "; there is no sandbox here, as in most containers: enable it, or add --set rendering.sandbox=false"
    return ""
