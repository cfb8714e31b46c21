"""The context that every page needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from hinterland.search.saved_queries import SavedQuery
from hinterland.web.crawl_shards import CrawlShard
from hinterland.web.extra_pages import ExtraPage
from hinterland.web.page_history import RankHistories
from hinterland.web.rendering import Renderer
from hinterland.web.search_service import SearchService
from hinterland.web.served_stores import ServedStore
from hinterland.web.store_queries import StoreQueries


@dataclass(frozen=True, slots=True)
class Site:
    """The context of all pages of a store.

    `store` is the file of the store as the user named it, `now` returns epoch seconds, `topic` is the topic under
    review, and `pages` are the pages of plug-ins. The other fields are explained in `application`.
    """

    store: str
    queries: StoreQueries
    searches: SearchService
    renderer: Renderer
    now: Callable[[], float]
    topic: str | None = None
    base_url: str = ""
    saved: Sequence[SavedQuery] = ()
    path: str = ""
    stores: Sequence[ServedStore] = ()
    shards: Sequence[CrawlShard] = ()
    pages: Sequence[ExtraPage] = ()
    replay_port: int = 0
    histories: RankHistories = field(default_factory=RankHistories)

    @property
    def top(self) -> str:
        """The prefix of links to the stores that are served together: "" or "/folder"."""
        return urlsplit(self.base_url).path

    @property
    def root(self) -> str:
        """The prefix of all links."""
        return self.top + self.path

    @property
    def roots(self) -> dict[str, str]:
        """The prefix of links for each store that is searched here; empty if there is only one store."""
        return {each.store: self.top + each.path for each in self.stores}

    def replay_of(self, request: web.Request, url: str, at: float | None) -> str:
        """Return the address at which the replay shows a URL as it was at a time; "" if no archive is served."""
        if not self.replay_port or self.base_url or at is None:
            return ""
        host = request.host if request.host.endswith("]") else request.host.rpartition(":")[0] or request.host
        moment = datetime.fromtimestamp(at, UTC).strftime("%Y%m%d%H%M%S")
        return f"{request.scheme}://{host}:{self.replay_port}/{moment}/{url}"

    def address(self, request: web.Request) -> str:
        """Return the address by which the browser reached this site, without a final slash. Feeds need it."""
        return (self.base_url or f"{request.scheme}://{request.host}") + self.path

    def page(self, template: str, status: int = 200, /, **values: Any) -> web.Response:
        """Return an HTML response."""
        text = self.renderer.page(template, store=self.store, reviewed=self.topic, extra_pages=self.pages, **values)
        return web.Response(text=text, status=status, content_type="text/html", headers={"Cache-Control": "no-cache"})


SITE = web.AppKey("site", Site)


def json_answer(value: Mapping[str, Any], status: int = 200) -> web.Response:
    """Return a JSON response.

    It is ASCII with all markup characters escaped, so that it is harmless even if a browser takes it for HTML.
    """
    return web.Response(
        text=safe_json(value), status=status, content_type="application/json", headers={"Cache-Control": "no-cache"}
    )


def value_answer(value: object) -> web.Response:
    """Return a dataclass as a JSON response."""
    return json_answer(msgspec.to_builtins(value, str_keys=True, builtin_types=()))


def safe_json(value: object) -> str:
    """Return JSON in ASCII with all markup characters escaped."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
