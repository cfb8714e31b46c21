"""An archive of ours in the hands of others: `warcio check`, pywb's indexer, and its replay in a browser.

pywb asks for other versions of packages than we do, so it has a .venv of its own; REPLAY_WAYBACK names its
`wayback`, as .ci/run sets it up from requirements-replay.txt.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from hinterland.cli.demo.web import DemoWeb
from hinterland.storage.warc.captures import Capture
from hinterland.storage.warc.cdxj import INDEX_NAME
from tests.storage.test_warc_revisits import FIRST, SECOND, THIRD, URL, not_modified, run
from tests.storage.test_warc_revisits import page as page_capture
from tests.support.crawling import crawl

if TYPE_CHECKING:
    from playwright.async_api import Page

pytestmark = pytest.mark.slow

WAYBACK = os.environ.get("REPLAY_WAYBACK", "")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
)

needs_pywb = pytest.mark.skipif(not WAYBACK, reason="REPLAY_WAYBACK names no wayback; .ci/run sets one up")
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here")


async def archive_of_the_demo(folder: Path) -> str:
    """Crawl the demo web into folder/warc; a URL of it. The web is gone afterwards."""
    async with DemoWeb() as web:
        await crawl(web.addresses, web.seeds, folder / "s.db", warc=folder / "warc")
        return next(seed for seed in web.seeds if "gazette" in seed)


async def test_warcio_finds_nothing_wrong(tmp_path: Path) -> None:
    await archive_of_the_demo(tmp_path)
    files = [str(path) for path in (tmp_path / "warc").glob("*.warc.gz")]
    command = [sys.executable, "-c", "from warcio.cli import main; main()", "check", "-v", *files]
    done = ran(command)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("digest pass") > 600
    assert "failed" not in done.stdout


def test_warcio_finds_nothing_wrong_with_revisits(tmp_path: Path) -> None:
    files = archive_with_revisits(tmp_path)
    done = ran([sys.executable, "-c", "from warcio.cli import main; main()", "check", "-v", *files])
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("(revisit)") == 4
    assert "failed" not in done.stdout


@needs_pywb
def test_revisits_replay_as_what_they_refer_to(tmp_path: Path) -> None:
    files = archive_with_revisits(tmp_path)
    done = ran([str(Path(WAYBACK).with_name("cdx-indexer")), "-s", "-j", *files])
    theirs = [line for line in done.stdout.splitlines() if not line.startswith((" CDX", "!"))]
    assert (tmp_path / "warc" / INDEX_NAME).read_text().splitlines() == theirs
    with replay(tmp_path) as base:
        for at in (FIRST, SECOND, THIRD):
            moment = datetime.fromtimestamp(at, UTC)
            with urlopen(f"{base}/crawl/{moment:%Y%m%d%H%M%S}mp_/{URL}", timeout=60) as answer:
                assert answer.status == 200
                assert answer.headers["Memento-Datetime"] == format_datetime(moment, usegmt=True)
                assert b"<p>hello" in answer.read()
        for at in (FIRST, SECOND):
            then = f"{datetime.fromtimestamp(at, UTC):%Y%m%d%H%M%S}mp_"
            with pytest.raises(HTTPError) as error:
                urlopen(f"{base}/crawl/{then}/{URL}gone", timeout=60)
            assert (error.value.code, b"<p>no more" in error.value.read()) == (404, True)
            with urlopen(f"{base}/crawl/{then}/{URL}old", timeout=60) as answer:
                assert answer.url.endswith(f"/{URL}")


@needs_pywb
async def test_the_index_is_what_pywb_would_have_made(tmp_path: Path) -> None:
    await archive_of_the_demo(tmp_path)
    files = [str(path) for path in (tmp_path / "warc").glob("*.warc.gz")]
    indexer = str(Path(WAYBACK).with_name("cdx-indexer"))
    done = ran([indexer, "-s", "-j", *files])
    theirs = [line for line in done.stdout.splitlines() if not line.startswith((" CDX", "!"))]
    assert (tmp_path / "warc" / INDEX_NAME).read_text().splitlines() == theirs
    assert len(theirs) > 300


@needs_pywb
def test_the_keys_of_odd_urls_are_those_of_pywb(tmp_path: Path) -> None:
    (tmp_path / "warc").mkdir()
    paths = (
        "%7Eme/",
        "a%20b",
        "%C3%A9?%E9",
        "a|b?x='y'&a-b=1&a=2&a",
        "%7Bx%7D%5E?q=%26%3D%2525",
        "a%2F%2Fb?http://x//",
    )
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    urls = [*(URL + path for path in paths), "http://127.0.0.1/", "http://[::1]/x", f"{URL};jsessionid={'0' * 32}"]
    run(tmp_path / "warc", *(Capture(url, FIRST, None, b"GET / HTTP/1.1\r\n\r\n", head, len(head)) for url in urls))
    done = ran([str(Path(WAYBACK).with_name("cdx-indexer")), "-s", "-j", *map(str, (tmp_path / "warc").glob("*.gz"))])
    theirs = [line for line in done.stdout.splitlines() if not line.startswith((" CDX", "!"))]
    assert (tmp_path / "warc" / INDEX_NAME).read_text().splitlines() == theirs
    assert len(theirs) == len(urls)


@needs_pywb
@needs_chromium
async def test_an_archive_replays_in_a_browser(tmp_path: Path) -> None:
    from playwright.async_api import async_playwright

    url = await archive_of_the_demo(tmp_path)
    with replay(tmp_path) as base:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            try:
                page = await browser.new_page()
                await visit(page, f"{base}/crawl/{url}", "The Averna Gazette")
                link = page.locator("a[href*='/news/']").first
                text = (await link.inner_text()).strip()
                await link.click()
                await page.wait_for_url(re.compile("/news/"))
                assert text
                assert text in await page.content()
                answer = await page.goto(f"{base}/crawl/{url}never-crawled")
                assert answer is not None
                assert answer.status == 404
            finally:
                await browser.close()


def archive_with_revisits(folder: Path) -> list[str]:
    """One of a page, of the page again, and of a 304, all with an error and a redirect, in folder/warc; its files."""
    (folder / "warc").mkdir()
    for at, capture in ((FIRST, page_capture(FIRST)), (SECOND, page_capture(SECOND))):
        error = answered(at, "gone", b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", b"<p>no more")
        moved = answered(at, "old", f"HTTP/1.1 302 Found\r\nLocation: {URL}\r\nContent-Length: 0\r\n\r\n".encode())
        run(folder / "warc", capture, error, moved)
    run(folder / "warc", not_modified(THIRD))
    return [str(path) for path in sorted((folder / "warc").glob("*.warc.gz"))]


def answered(at: float, path: str, head: bytes, body: bytes = b"") -> Capture:
    return Capture(f"{URL}{path}", at, None, b"GET / HTTP/1.1\r\n\r\n", head + body, len(head))


def ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


async def visit(page: Page, url: str, title: str) -> None:
    answer = await page.goto(url)
    assert answer is not None
    assert answer.status == 200
    assert title in await page.title()


@contextmanager
def replay(folder: Path) -> Iterator[str]:
    """pywb, serving the archive in folder/warc by its index; the URL it serves at."""
    (folder / "config.yaml").write_text(
        "framed_replay: false\n"
        "collections:\n"
        "  crawl:\n"
        f"    index_paths: {folder / 'warc' / INDEX_NAME}\n"
        f"    archive_paths: {folder / 'warc'}/\n"
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "pywb.log").open("wb") as log:
        process = subprocess.Popen([WAYBACK, "-b", "127.0.0.1", "-p", str(port)], cwd=folder, stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/", process, folder / "pywb.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
            process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with urlopen(url, timeout=10):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())
