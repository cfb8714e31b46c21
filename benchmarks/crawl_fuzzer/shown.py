"""What the server of a store answers, asked in the process that it runs in: pages for people and the API."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from aiohttp.test_utils import TestClient, TestServer

from hinterland.web.application import application
from tests.support.fake_index import FakeIndex

_FRONT: Final = (
    "/", "/?q=a", "/crawl", "/hosts", "/hosts?all=1", "/hosts/links", "/changes", "/changes.atom", "/records",
    "/broken-links", "/broken-links.csv", "/signals", "/ranks", "/metrics", "/healthz", "/records/page",
    "/search.csv?q=a", "/api/status", "/api/hosts?all=1&limit=50", "/api/errors", "/api/broken-links",
    "/api/estimates", "/api/search?q=a", "/page?url=http%3A%2F%2Fa.test%3A8088%2F",
    "/host?url=http%3A%2F%2Fa.test%3A8088",
)  # fmt: skip
_MOST_PAGES: Final = 20
_OF_A_PAGE: Final = ("/page/{}", "/page/{}/cached", "/page/{}/changes", "/api/page?number={}")


def show(store: Path) -> int:
    """Write what was answered to stdout, as JSON: path -> status and, of the API, the answer. The exit code is 0."""
    logging.disable(logging.NOTSET)
    json.dump(asyncio.run(_answers(store)), sys.stdout)
    return 0


async def _answers(store: Path) -> dict[str, Any]:
    answers: dict[str, Any] = {}
    app = application(store, FakeIndex(store), only_this_machine=True)
    async with TestClient(TestServer(app)) as client:

        async def ask(path: str) -> Any:
            async with client.get(path) as answer:
                text = await answer.text(errors="replace")
                told = json.loads(text) if answer.content_type == "application/json" else None
                answers[path] = [answer.status, told if answer.status < 400 else text[:300]]
                return told

        for path in _FRONT:
            await ask(path)
        for page in range(_MOST_PAGES):
            for path in _OF_A_PAGE:
                await ask(path.format(page))
        for name in ("pages", "links"):
            answers[f"all {name}"] = [200, [row async for row in _all(ask, f"/api/{name}", name)]]
    return answers


async def _all(ask: Any, path: str, name: str) -> AsyncIterator[Any]:
    """All rows of a list that comes in portions."""
    after = ""
    while True:
        told = await ask(f"{path}?limit=50{after}")
        if not told or not (rows := told[name]):
            return
        for row in rows:
            yield row
        if told.get("next_after") in (None, ""):
            return
        after = f"&after={told['next_after']}"


def disagreements(answers: Mapping[str, Sequence[Any]], store: Path) -> Iterator[tuple[str, str]]:
    """Yield the answers that failed or disagree with the tables, with details."""
    for path, (status, told) in answers.items():
        if status >= 500:
            kind = "".join("N" if letter.isdigit() else letter for letter in path)
            yield f"{kind} answers {status}", f"{path}: {told}"
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        pages = Counter(connection.execute("SELECT url, state FROM page").fetchall())
        links = connection.execute("SELECT count(*) FROM link").fetchone()[0]
        hosts = connection.execute("SELECT count(*) FROM host").fetchone()[0]
    told_pages = Counter((each["page"]["url"], each["state"]) for each in answers["all pages"][1])
    if told_pages != pages:
        yield "/api/pages", f"not told {list(pages - told_pages)[:3]}, too much {list(told_pages - pages)[:3]}"
    if (told_links := len(answers["all links"][1])) != links:
        yield "/api/links", f"tells {told_links} of {links}"
    if (told_hosts := answers["/api/hosts?all=1&limit=50"][1]["total"]) != hosts:
        yield "/api/hosts", f"tells {told_hosts} of {hosts}"
    states = Counter(state for _, state in pages.elements())
    told = answers["/api/status"][1]["pages"]
    for state, count in states.items():
        if told["local"][state] + told["outside"][state] != count:
            yield "/api/status", f"{state}: {told['local'][state]} and {told['outside'][state]} of {count}"
