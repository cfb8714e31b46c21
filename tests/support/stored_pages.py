"""Small link stores, written as a crawl writes them."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from hinterland.storage.link_store import LinkStore
from hinterland.storage.values.compression import packed
from hinterland.storage.values.hosts import HostStateRecord
from hinterland.storage.values.records import (
    ContentRecord,
    DiscoveriesRecord,
    HostRecord,
    LinkColumns,
    PageRecord,
    VisitRecord,
)

HOSTS = ("http://a.test", "http://b.test")
_visits = count(1)


@dataclass(frozen=True, slots=True)
class Link:
    """A link; kinds as in storage.schema."""

    target: int
    anchor: str = ""
    nofollow: bool = False
    kind: int = 0


@dataclass(frozen=True, slots=True)
class Page:
    """What a visit to a page finds; its number is its place in the store."""

    text: str = ""
    title: str = ""
    links: Sequence[Link] = ()
    host: int = 0
    canonical: int | None = None
    redirect: int | None = None
    is_noindex: bool = False
    is_local: bool = True
    outcome: str = "fetched"
    body: str | None = None
    charset: str = "utf-8"
    """As the server says; the body is UTF-8."""
    status: int = 200
    description: str = ""
    headings: str = '[[1, "Heading"]]'
    language: str = "en"
    depth: int = 0
    state: str = ""
    """The state after the visit; "" for the one that the outcome leads to."""


def essay(seed: int, words: int = 120) -> str:
    """A text like no other."""
    dice = random.Random(seed)
    return " ".join(f"word{dice.randrange(10_000)}" for _ in range(words))


def write_store(path: Path, pages: Sequence[Page], hosts: Sequence[str] = HOSTS) -> Path:
    """A store of these pages, each visited once."""
    known_hosts = [HostRecord(number, url, url.removeprefix("http://")) for number, url in enumerate(hosts)]
    known = [
        PageRecord(
            number, f"{hosts[page.host]}/{number}", page.host, "waiting", int(page.is_local), page.depth, None, 0
        )
        for number, page in enumerate(pages)
    ]
    visits = [_visit(*each) for each in enumerate(pages) if each[1].state != "waiting"]
    asyncio.run(_write(path, [DiscoveriesRecord(known_hosts, known), *visits]))
    return path


def visit_again(path: Path, pages: dict[int, Page]) -> None:
    """Visits to pages that are known."""
    asyncio.run(_write(path, [_visit(number, page, attempt=2) for number, page in pages.items()]))


def visit_new(path: Path, pages: dict[int, Page]) -> None:
    """Visits to pages that were not known."""
    known = [
        PageRecord(number, f"{HOSTS[page.host]}/{number}", page.host, "waiting", int(page.is_local), 0, None, 0)
        for number, page in pages.items()
    ]
    asyncio.run(_write(path, [DiscoveriesRecord([], known), *(_visit(*each) for each in pages.items())]))


async def _write(path: Path, records: Iterable[DiscoveriesRecord | VisitRecord]) -> None:
    async with LinkStore(path) as store:
        await store.write(list(records))


def _visit(number: int, page: Page, *, attempt: int = 1) -> VisitRecord:
    visit = next(_visits)
    state = {"fetched": "fetched", "redirected": "redirected", "other_type": "fetched"}.get(page.outcome, "failed")
    state = page.state or state
    is_page = page.outcome == "fetched"
    whole = repr((page.text, page.title, page.body)).encode()
    return VisitRecord(
        visit,
        number,
        state,
        page.outcome,
        "",
        attempt,
        1000.0 + visit,
        0.1,
        HostStateRecord(page.host, "127.0.0.1", 0.0, 0.0, 0, 1, False),
        status=page.status,
        charset=page.charset,
        body_hash=hashlib.sha256(whole).digest()[:16] if is_page else None,
        redirect_target=page.redirect,
        canonical=page.canonical,
        title=page.title or None,
        description=page.description or None,
        language=page.language,
        is_noindex=page.is_noindex,
        links=LinkColumns(
            [link.target for link in page.links],
            bytes(link.kind for link in page.links),
            bytes(link.nofollow for link in page.links),
            [link.anchor for link in page.links],
        ),
        content=ContentRecord(packed(page.text), page.headings, packed(page.body) if page.body else None)
        if is_page
        else None,
    )
