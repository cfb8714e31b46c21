"""Pages of static sites live, and replayed from the archive that a crawl with --requisites makes of them.

    python -m benchmarks.archive_replay WWW [--hosts 20] [--pages 5] [--scripts]

WWW holds a folder of files for each host, as the webfarm does; "demo" stands for the web of the command `demo`. A
Chromium shows each page twice: with all names leading to a server of these files, and with a network that has nothing
but the replay. The benchmark prints the subresources that arrived, the likeness of the pictures (SSIM, Wang et al.
2004), and every request that left the archive. Scripts are off both times, since the replay runs none; --scripts lets
the live page run them, to show what is lost.

Chromium has a list of hosts that it only visits by https. Their pages are crawled and shown by https, with a
certificate of the benchmark. Subresources are compared without their scheme, which Chromium changes for such hosts.
"""

from __future__ import annotations

import argparse
import asyncio
import mimetypes
import random
import re
import ssl
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from aiohttp import web
from aiohttp.test_utils import TestServer
from aiohttp.web_request import BaseRequest
from aiohttp.web_runner import AppRunner, TCPSite
from matplotlib.image import imread
from scipy.ndimage import uniform_filter

from hinterland.cli.demo.pages import demo_pages
from hinterland.cli.demo.web import LOOPBACK, DemoWeb
from hinterland.web.replay.application import replay_application
from tests.support.browsing import CHROMIUM
from tests.support.crawl_process import CrawlOrder
from tests.support.crawling import rows
from tests.support.web_tls import self_signed

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

_LIVE = "127.0.0.77"
"""The address of the live web. URLs have no port, so it listens at ports 80 and 443, for which it needs root."""
_TO_LIVE = f"MAP * {_LIVE}"
_CLOSED = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
_WINDOW = 7
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--ignore-certificate-errors",
)


@dataclass(slots=True)
class Seen:
    """A page as a browser showed it: its picture, and the URLs of the subresources that arrived."""

    picture: bytes = b""
    arrived: set[str] = field(default_factory=set)
    outside: list[str] = field(default_factory=list)


def files_of(www: Path, log: Counter[str]) -> web.Application:
    """Serve the files of each host by its Host header; `log` counts requests by URL."""

    async def send(request: web.Request) -> web.StreamResponse:
        host = request.host.partition(":")[0]
        log[f"{request.scheme}://{host}{request.path_qs}"] += 1
        path = (www / host / request.match_info["path"]).resolve()
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            raise web.HTTPNotFound
        return web.Response(body=path.read_bytes(), content_type=mimetypes.guess_type(path.name)[0] or "text/html")

    app = web.Application()
    app.add_routes([web.get("/{path:.*}", send)])
    return app


def chosen(www: Path, hosts: int, pages: int, seed: int) -> list[str]:
    """Return random pages of random hosts that have style sheets or pictures; no pages that move on to others."""
    choose = random.Random(seed)
    found: list[str] = []
    names = _hosts(www)
    choose.shuffle(names)
    for name in names:
        files = sorted(path for path in (www / name).rglob("*") if path.suffix in (".html", ".htm", ".css", ".png"))
        html = [path for path in files if path.suffix in (".html", ".htm") and path.is_file()]
        if len(html) < pages or len(html) == len(files):
            continue
        choose.shuffle(html)
        staying = (path for path in html if b'http-equiv="refresh"' not in path.read_bytes()[:4096].lower())
        found += [f"http://{name}/{path.relative_to(www / name)}" for path in islice(staying, pages)]
        if len(found) >= hosts * pages:
            break
    return found


def _hosts(www: Path) -> list[str]:
    return sorted(path.name for path in www.iterdir() if path.name[0] != ".")


async def seen(browser: Browser, url: str, is_own: Any, *, scripts: bool) -> Seen:
    """Show a page and return what arrived."""
    found = Seen()
    size: Any = {"width": 1000, "height": 800}
    context = await browser.new_context(java_script_enabled=scripts, viewport=size, ignore_https_errors=True)
    page = await context.new_page()

    def note(response: Any) -> None:
        if response.status == 200 and response.request.resource_type != "document":
            found.arrived.add(response.url)

    page.on("response", note)
    page.on("request", lambda request: None if is_own(request.url) else found.outside.append(request.url))
    await page.goto(url, wait_until="networkidle", timeout=60_000)  # icons come late
    found.picture = await page.screenshot(animations="disabled")
    await context.close()
    return found


def ssim(first: bytes, second: bytes) -> float:
    """Return the mean structural similarity of two pictures, in grey."""
    x, y = (imread(BytesIO(each), format="png")[..., :3].mean(axis=2).astype(np.float64) for each in (first, second))
    mean_x, mean_y = uniform_filter(x, _WINDOW), uniform_filter(y, _WINDOW)
    scale = _WINDOW**2 / (_WINDOW**2 - 1)
    variance_x = scale * (uniform_filter(x * x, _WINDOW) - mean_x**2)
    variance_y = scale * (uniform_filter(y * y, _WINDOW) - mean_y**2)
    covariance = scale * (uniform_filter(x * y, _WINDOW) - mean_x * mean_y)
    c1, c2 = 0.01**2, 0.03**2
    likeness = ((2 * mean_x * mean_y + c1) * (2 * covariance + c2)) / (
        (mean_x**2 + mean_y**2 + c1) * (variance_x + variance_y + c2)
    )
    return float(likeness.mean())


async def compared(www: Path, urls: list[str], *, scripts: bool) -> None:
    """Crawl pages of files, show each live and replayed, and print how they compare."""
    from playwright.async_api import async_playwright

    log: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        tls, certificate = self_signed(Path(place), _hosts(www))
        async with _served(files_of(www, log), tls), async_playwright() as playwright:
            encrypted = await _encrypted(playwright, {url.split("/")[2] for url in urls})
            urls = [re.sub("^http:", "https:", url) if url.split("/")[2] in encrypted else url for url in urls]
            log.clear()
            web = _Web({f"{host}:{port}": _LIVE for host in _hosts(www) for port in (80, 443)}, str(certificate))
            print(f"by https: {sorted(encrypted)}")
            await _crawl_and_show(playwright, web, urls, log, scripts=scripts)


class CountedDemo(DemoWeb):
    """The web of the command `demo`; `log` counts requests by URL."""

    def __init__(self) -> None:
        """Start with an empty log."""
        super().__init__()
        self.log = Counter[str]()

    async def _respond(self, request: BaseRequest) -> web.Response:
        self.log[f"http://{request.host}{request.raw_path}"] += 1
        return await super()._respond(request)


async def compared_demo(hosts: int, pages: int, seed: int, *, scripts: bool) -> None:
    """Do the same with random pages of the demo web."""
    from playwright.async_api import async_playwright

    demo = CountedDemo()
    async with demo, async_playwright() as playwright:
        of_host: dict[str, list[str]] = {}
        for (host, path), answer in demo_pages(demo.port).items():
            if answer.status == 200 and answer.headers.get("Content-Type", "").startswith("text/html"):
                of_host.setdefault(host, []).append(f"http://{host}:{demo.port}{path}")
        choose = random.Random(seed)
        names = choose.sample(sorted(of_host), min(hosts, len(of_host)))
        urls = [url for name in names for url in choose.sample(of_host[name], min(pages, len(of_host[name])))]
        found = _Web(demo.addresses, "", f"MAP *.example {LOOPBACK}")
        await _crawl_and_show(playwright, found, urls, demo.log, scripts=scripts)


async def _crawl_and_show(
    playwright: Playwright, web: _Web, urls: list[str], log: Counter[str], *, scripts: bool
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder, store = Path(place) / "warc", Path(place) / "s.db"
        await _crawled(web, urls, store, folder)
        outcomes = dict(rows(store, "SELECT outcome, count(*) FROM requisite GROUP BY 1"))
        print(f"{len(urls)} pages of {len({url.split('/')[2] for url in urls})} hosts; requisites: {outcomes}")
        print(f"requests a page {sum(log.values()) / len(urls):.1f}; twice: {[u for u, n in log.items() if n > 1]}")
        async with TestServer(replay_application(folder, only_this_machine=True)) as replay:
            await _show(playwright, web, urls, replay.port or 0, log, scripts=scripts)


@asynccontextmanager
async def _served(app: web.Application, tls: ssl.SSLContext) -> AsyncIterator[None]:
    runner = AppRunner(app)
    await runner.setup()
    try:
        for port, context in ((80, None), (443, tls)):
            await TCPSite(runner, _LIVE, port, ssl_context=context).start()
        yield
    finally:
        await runner.cleanup()


async def _encrypted(playwright: Playwright, hosts: set[str]) -> set[str]:
    """Return the hosts that Chromium visits by https although it is given an http URL."""
    found = set[str]()
    async with _chromium(playwright, _TO_LIVE) as browser:
        page = await browser.new_page()
        for host in sorted(hosts):
            await page.goto(f"http://{host}/robots.txt", wait_until="commit")
            if page.url.startswith("https:"):
                found.add(host)
    return found


@asynccontextmanager
async def _chromium(playwright: Playwright, rules: str) -> AsyncIterator[Browser]:
    args = [*_FLAGS, f"--host-resolver-rules={rules}"]
    browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=args)
    try:
        yield browser
    finally:
        await browser.close()


async def _show(
    playwright: Playwright, web: _Web, urls: list[str], replay: int, log: Counter[str], *, scripts: bool
) -> None:
    origin, started = f"http://127.0.0.1:{replay}", time.monotonic()
    likeness, same, lost, outside = [], 0, Counter[str](), 0
    async with _chromium(playwright, web.to_live) as to_live, _chromium(playwright, _CLOSED) as closed:
        for url in urls:
            one = await seen(to_live, url, lambda _: True, scripts=scripts)
            asked = sum(log.values())
            address = f"{origin}/20990101000000mp_/{url}"
            two = await seen(closed, address, lambda each: each.startswith((origin, "data:")), scripts=False)
            assert sum(log.values()) == asked, "the live server was asked during the replay"
            wanted, arrived = _resources(one), _resources(two)
            likeness.append(ssim(one.picture, two.picture))
            same += wanted == arrived
            lost.update(wanted - arrived)
            outside += len(two.outside)
            if wanted != arrived or likeness[-1] < 0.98:
                print(f"  {url}: SSIM {likeness[-1]:.4f}, live {len(wanted)}, replayed {len(arrived)}; only live"
                      f" {sorted(wanted - arrived)[:3]}; only replayed {sorted(arrived - wanted)[:3]}")  # fmt: skip
    alike = np.array(likeness)
    hosts = {url.split("/")[2] for url in urls}
    print(f"{len(likeness)} pages of {len(hosts)} hosts; the same subresources on {same}, {lost.total()} lost")
    print(f"SSIM: least {alike.min():.4f}, median {np.median(alike):.4f}, at least .98 on {(alike >= 0.98).sum()}")
    print(f"requests that left the archive: {outside}; {time.monotonic() - started:.0f} s")


def _resources(page: Seen) -> set[str]:
    """Return the URLs of what arrived, without scheme and fragment, and without what the page itself contains."""
    urls = (each.split("mp_/", 1)[-1].partition("#")[0] for each in page.arrived if not each.startswith("data:"))
    return {each.partition("://")[2] for each in urls}


@dataclass(frozen=True, slots=True)
class _Web:
    """Where each host and port is, and how a crawl and a browser find it.

    `certificate` is the file by which a crawl trusts the hosts, "" without https; `to_live` is for a browser.
    """

    addresses: dict[str, str]
    certificate: str
    to_live: str = _TO_LIVE


async def _crawled(web: _Web, urls: list[str], store: Path, folder: Path) -> None:
    changes: dict[str, dict[str, Any]] = {
        "requisites": {"fetch": "all"},
        "scope": {"max_depth": 0},
        "storage": {"keep_bodies_mb": 0},
    }
    if web.certificate:
        changes["fetching"] = {"ca_file": web.certificate}
    with CrawlOrder(web.addresses, urls, str(store), changes, str(folder)).start() as process:
        await asyncio.to_thread(process.communicate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("www", type=Path, metavar="WWW")
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scripts", action="store_true")
    given = parser.parse_args()
    if str(given.www) == "demo":
        asyncio.run(compared_demo(given.hosts, given.pages, given.seed, scripts=given.scripts))
    else:
        asyncio.run(compared(given.www, chosen(given.www, given.hosts, given.pages, given.seed), scripts=given.scripts))
