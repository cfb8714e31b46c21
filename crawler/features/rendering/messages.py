"""Messages between the crawl and the process that drives a browser, framed like the messages of parser processes.

    the crawl                         the browser's process
              ◄── BrowserReady           it has started
    PageToRender ──►
              ◄── SubresourceRequest     a script asks for something; any number of these at a time
    SubresourceResponse ──►              the answer
              ◄── Shown                  the page is done; its open requests get no answer

A page that takes over the browser's process can lie about pages, and can request what pages may request, but it cannot
make the crawl do anything else.
"""

from __future__ import annotations

from typing import Final

import msgspec

CRASHED: Final = "the renderer process died"
"""The problem of a page whose process died, either killed from outside or because of the page."""


class RenderConfig(msgspec.Struct, frozen=True, array_like=True, tag="config"):
    """The first message to the process.

    `folder` is for temporary files; the process removes it. `browser` is the path of a Chromium, and `agent` the
    User-Agent that it sends. `max_bytes` limits a page or any resource, and `max_received_bytes` everything that one
    page receives, both decompressed.
    """

    folder: str
    browser: str
    agent: str
    timeout_seconds: float
    quiet_seconds: float
    max_bytes: int
    max_received_bytes: int
    max_memory_bytes: int
    is_sandboxed: bool


class BrowserReady(msgspec.Struct, frozen=True, array_like=True, tag="ready"):
    """The browser has started, or failed to start.

    `process` is the process id of Chromium's main process, which leads its process group. `problem` says why the
    browser did not start, "" if it did.
    """

    process: int = 0
    problem: str = ""


class PageToRender(msgspec.Struct, frozen=True, array_like=True, tag="page"):
    """A page to render, as the server sent it.

    `moves` says whether to report where its scripts navigate. `rest_seconds` is how long its host may rest in total
    while the page waits for resources; the time limit of the page is extended by this.
    """

    url: str
    body: bytes
    content_encoding: str
    content_type: str | None
    moves: bool
    rest_seconds: float = 0.0


class SubresourceRequest(msgspec.Struct, frozen=True, array_like=True, tag="wanted"):
    """A request of the page being rendered.

    `kind` is the browser's own resource type: script, fetch, ...
    """

    number: int
    url: str
    kind: str
    method: str


class SubresourceResponse(msgspec.Struct, frozen=True, array_like=True, tag="given"):
    """The answer to the SubresourceRequest with the same number; status 0 means that it is refused.

    `body` is the body as the server sent it.
    """

    number: int
    status: int = 0
    body: bytes = b""
    content_encoding: str = ""
    content_type: str | None = None


class Shown(msgspec.Struct, frozen=True, array_like=True, tag="shown"):
    """The result of rendering a page.

    `html` is the page after rendering, None if unknown. `moved_to` is where its scripts tried to navigate, "" if
    nowhere. `problem` says what went wrong or was not done. `is_ended` says that the process is ending because its
    browser failed. `is_lost` says that the rendering failed, but apparently not because of the page, so that another
    browser may render it.
    """

    html: bytes | None = None
    moved_to: str = ""
    problem: str = ""
    is_ended: bool = False
    is_lost: bool = False


ToBrowser = RenderConfig | PageToRender | SubresourceResponse
FromBrowser = BrowserReady | SubresourceRequest | Shown
