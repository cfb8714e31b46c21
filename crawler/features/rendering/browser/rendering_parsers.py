"""A page parser that has some pages rendered by a browser, and reads the result."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Final

import msgspec

from hinterland.crawler.features.rendering.allowance import MAX_RECEIVED_BYTES, Allowance
from hinterland.crawler.features.rendering.browser.browser import Browser
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable
from hinterland.crawler.features.rendering.messages import PageToRender, Shown
from hinterland.crawler.features.rendering.settings import ALWAYS, RenderingSettings
from hinterland.crawler.parsing.messages import PageDigest, RawPage, Rendered
from hinterland.crawler.parsing.page_parser import PageParser

_HTML: Final = "text/html; charset=utf-8"


class RenderingParsers:
    """A PageParser that renders pages. It is an async context manager, and may raise BrowserUnusable when entered.

    A page is first parsed as it was sent. If the result shows that it must be rendered, it is parsed again as rendered.
    If the browser fails, the first result is used.
    """

    def __init__(self, parsers: PageParser, browsers: list[Browser], settings: RenderingSettings) -> None:
        """Wrap the parsers; `browsers` are started when needed."""
        self._parsers = parsers
        self._browsers = browsers
        self._settings = settings
        self._idle: asyncio.LifoQueue[Browser] = asyncio.LifoQueue()

    async def __aenter__(self) -> RenderingParsers:
        """Start the first browser."""
        await self._browsers[0].start()  # if it cannot start, this is the time to say so
        for browser in reversed(self._browsers):
            self._idle.put_nowait(browser)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop all browsers."""
        await asyncio.gather(*(browser.stop() for browser in self._browsers))

    @property
    def restarts(self) -> int:
        """How many parser processes died and were replaced."""
        return self._parsers.restarts

    @property
    def backlog(self) -> int:
        """How many pages wait for the parsers."""
        return self._parsers.backlog

    @property
    def is_saturated(self) -> bool:
        """Whether all parsers are busy, so that another page would only wait."""
        return self._parsers.is_saturated

    async def parse(self, raw: RawPage) -> PageDigest:
        """Return what was read from the page, which is rendered first if the settings say so."""
        digest = await self._parsers.parse(raw)
        page = digest.page
        if page is None or not page.charset:  # no page, or a document, which has no charset
            return digest
        if not digest.is_shell and self._settings.pages != ALWAYS:
            return digest
        settings = self._settings
        allowance = Allowance(raw.url, settings.max_requests, MAX_RECEIVED_BYTES)
        to_render = PageToRender(
            raw.url, raw.body, raw.content_encoding, raw.content_type, moves=page.refresh_seconds is None
        )
        shown = await self._shown(to_render, allowance)
        again = None
        if shown.html is not None:
            as_shown = msgspec.structs.replace(raw, body=shown.html, content_encoding="", content_type=_HTML)
            again = await self._parsers.parse(as_shown)
        is_done = again is not None and again.page is not None
        problems = [shown.problem, allowance.refusals, again.detail if again is not None and not is_done else ""]
        rendered = Rendered(
            is_done,
            "; ".join(filter(None, problems)),
            shown.moved_to,
            allowance.requests_of_host,
            allowance.seconds_of_host,
            "+".join(allowance.logins) if is_done else "",
        )
        return msgspec.structs.replace(again if again is not None and is_done else digest, rendered=rendered)

    async def _shown(self, page: PageToRender, allowance: Allowance) -> Shown:
        browser = await self._idle.get()
        try:
            return await browser.render(page, allowance)
        except BrowserUnusable as error:
            return Shown(problem=str(error))
        finally:
            self._idle.put_nowait(browser)
