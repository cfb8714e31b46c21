"""A small crawled store with everything that pages can show, and the same full of hostile text."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.support.crawling import Crawled, crawl
from tests.support.web import LoopbackWeb

SCRIPT = "<script>window.pwned = 1</script>"
IMAGE = '"><img src=x onerror="window.pwned = 1">'
TURNED = "\u202egpj.exe\x1b[31m\x07"
HOSTILE = f"{SCRIPT}{IMAGE}{TURNED}"


def some_web(web: LoopbackWeb) -> str:
    """Two local hosts by one seed and its links, and one outside that links back; returns the seed."""
    links = [f"/{number}" for number in range(1, 31)]
    html = "".join(f'<p><a href="{link}">Ferry number {link[1:]}</a>' for link in links)
    web.page(
        "a.test",
        "/",
        html=f'<html lang="en"><title>The ferry company</title><meta name=description content="All ferries.">'
        f"<h1>Ferries</h1><h2>Timetable</h2><p>Boats go at noon.{html}"
        f'<p><a href="/gone">Gone</a> <a href="/moved">Moved</a> <a href="/private/x">Private</a>'
        f' <a href="/copy">Copy</a> <a href="/same" rel="next">Same</a>'
        f' <a href="{web.url("out.test", "/")}">Outside</a>',
    )
    for number in range(1, 31):
        other = f'<a href="/{number % 30 + 1}">Next</a> <a href="/">Home</a>'
        web.page("a.test", f"/{number}", html=f"<title>Ferry {number}</title><p>Ferry {number} sails. {other}")
    for path in ("/copy", "/same"):
        web.page("a.test", path, html="<title>A ferry twice</title><p>There are two of this page.")
    web.redirect("a.test", "/moved", ("a.test", "/1"))
    web.robots("a.test", f"User-agent: *\nDisallow: /private/\nCrawl-delay: 0\nSitemap: {web.url('a.test', '/map')}\n")
    for number in range(6):
        back = [("a.test", f"/{number + 1}"), ("out.test", f"/{number + 1}"), ("a.test", "/")]
        web.page("out.test", "/" if not number else f"/{number}", links=back)
    return web.url("a.test", "/")


async def make_store(path: Path) -> Crawled:
    """Crawled with a hinterland, so there are ranks and a history of estimates."""
    async with LoopbackWeb() as web:
        seed = some_web(web)
        return await crawl(web.addresses, [seed], path, hinterland={"budget": "1.0", "refresh_pages": 2})


def make_hostile(path: Path) -> None:
    """Rewrite texts of a store as no crawl of ours would: markup, control characters and bad URLs everywhere."""
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("UPDATE fetch SET title = ? || title, description = ?, language = ?", (HOSTILE, HOSTILE, HOSTILE))
        store.execute("UPDATE fetch SET detail = ?, content_type = ?, charset = ?", (HOSTILE, HOSTILE, HOSTILE))
        store.execute("UPDATE fetch SET last_modified = ?, etag = ?", (HOSTILE, HOSTILE))
        store.execute("UPDATE fetch SET outcome = ? WHERE outcome = 'client_error'", (HOSTILE,))
        store.execute("UPDATE link SET anchor = ?", (HOSTILE,))
        store.execute(
            "UPDATE content SET headings = json_array(json_array(1, ?), json_array(9, ?))", (HOSTILE, HOSTILE)
        )
        store.execute("UPDATE host SET last_error = ?, site = ?, address = ?, failures = 2", (HOSTILE,) * 3)
        store.execute("UPDATE host SET url = url || ? WHERE id = 1", (HOSTILE,))
        store.execute("UPDATE robots SET text = ?, sitemaps = json_array(?, 'javascript:window.pwned=1')", (
            HOSTILE.encode(), f"https://x.test/{HOSTILE}",
        ))  # fmt: skip
        store.execute("UPDATE page SET url = 'javascript:window.pwned=1//' || url WHERE id = 3")
        store.execute("UPDATE page SET url = url || ? WHERE id = 4", (HOSTILE,))
        store.execute("UPDATE run SET command = json_array('crawl', ?), reason = ?", (HOSTILE, HOSTILE))
        store.execute("UPDATE run SET progress = json_set(progress, '$.policy', ?)", (HOSTILE,))
        store.execute("UPDATE estimate SET estimator = ? ", (HOSTILE,))
        store.execute("UPDATE rank SET estimator = ? WHERE estimator = 'outside-model'", (HOSTILE,))
        store.execute("DELETE FROM rank WHERE estimator NOT IN ('local', ?)", (HOSTILE,))
