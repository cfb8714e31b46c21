from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from hinterland.crawler.features.rendering.allowance import Allowance
from hinterland.crawler.features.rendering.browser.browser import Browser
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable, may_be_sandboxed
from hinterland.crawler.features.rendering.browser.subrequests import Manners, Subrequests
from hinterland.crawler.features.rendering.messages import PageToRender, RenderConfig, Shown
from hinterland.distribution.installation import code_folder
from tests.crawler.features.rendering.browser.test_subrequests import Web
from tests.support.browsing import CHROMIUM
from tests.support.crawling import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]

PAGE = "http://a.test/"


def browser_of(program: str, timeout_seconds: float = 60.0) -> Browser:
    config = RenderConfig(
        folder="",
        browser=program,
        agent="Bot/1",
        timeout_seconds=timeout_seconds,
        quiet_seconds=0.1,
        max_bytes=1_000_000,
        max_received_bytes=1_000_000,
        max_memory_bytes=400 << 20,
        is_sandboxed=may_be_sandboxed(True),
    )
    web = Web({})
    return Browser(config, Subrequests(web, web, Manners(0.0, 0.0), 1_000_000, web.now))


@asynccontextmanager
async def started(timeout_seconds: float = 60.0) -> AsyncIterator[Browser]:
    assert CHROMIUM is not None
    browser = browser_of(CHROMIUM, timeout_seconds)
    await browser.start()
    try:
        yield browser
    finally:
        await browser.stop()


async def shown(browser: Browser, html: str) -> Shown:
    page = PageToRender(PAGE, html.encode(), "", "text/html", moves=True)
    return await browser.render(page, Allowance(PAGE, 50, 1_000_000))


async def test_after_a_page_that_computes_or_grows_without_end_the_next_is_shown_as_ever() -> None:
    mining = """<p>before<script>
        for (let i = 0; i < 2; i++) new Worker(URL.createObjectURL(new Blob(["while (true) {}"])));
        while (true) {}</script>"""
    async with started(timeout_seconds=5.0) as browser:
        stopped = await shown(browser, mining)
        assert stopped.problem.startswith("it was not done in 5 s")
        assert stopped.html is None or b"before" in stopped.html
        growing = "<script>const x = []; for (;;) x.push(new Uint8Array(1 << 24).fill(7));</script>"
        greedy = await shown(browser, growing)
        assert greedy.problem
        fine = await shown(browser, "<script>document.write('<a href=/x>x</a>')</script>")
        assert b'<a href="/x">x</a>' in (fine.html or b"")


async def test_a_browser_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho ERROR: no usable sandbox >&2\nexit 1\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(BrowserUnusable, match=r"no usable sandbox.*rendering\.sandbox=false"):
        await browser_of(str(program)).start()


_STARTS_ONE = """
import asyncio, sys
from tests.crawler.features.rendering.browser.test_browser import CHROMIUM, browser_of
async def main():
    browser = browser_of(CHROMIUM)
    await browser.start()
    print(browser.chromium, flush=True)
    await asyncio.sleep(3600)
asyncio.run(main())
"""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


async def test_a_browser_ends_with_the_crawl_however_that_ends(short_folder: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(short_folder)}
    crawl = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _STARTS_ONE), stdout=asyncio.subprocess.PIPE, cwd=code_folder(), env=environment
    )
    assert crawl.stdout is not None
    chromium = int(await crawl.stdout.readline())
    crawl.kill()
    await crawl.wait()
    await wait_until(lambda: not is_there(chromium))
    await wait_until(lambda: not list(short_folder.iterdir()))


def is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def processes(group: int, name: str = "") -> list[int]:
    """The numbers of the processes of a group, or of all whose command line holds a name."""
    found = []
    for each in Path("/proc").iterdir():
        if not each.name.isdigit():
            continue
        try:
            words = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            if os.getpgid(int(each.name)) == group and name in words:
                found.append(int(each.name))
        except (ProcessLookupError, FileNotFoundError, PermissionError):
            continue
    return found


def end_all(group: int) -> None:
    os.killpg(group, signal.SIGKILL)


def end_the_leader(group: int) -> None:
    os.kill(group, signal.SIGKILL)


def end_what_renders(group: int) -> None:
    for process in processes(group, "--type=renderer"):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def end_the_driver(group: int) -> None:
    for process in driver_processes():
        os.kill(process, signal.SIGKILL)


def end_what_drives_the_driver(group: int) -> None:
    for process in driver_processes():
        for node in children_of(process):
            os.kill(node, signal.SIGKILL)


def driver_processes() -> list[int]:
    """Return the drivers of browsers that this process started; it has other children, such as a resource tracker."""
    return [
        each for each in children_of(os.getpid()) if b"browser.driver" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def children_of(process: int) -> list[int]:
    with (Path("/proc") / str(process) / "task" / str(process) / "children").open() as file:
        return [int(each) for each in file.read().split()]


ENDS = [end_all, end_the_leader, end_what_renders, end_the_driver, end_what_drives_the_driver]
SLOW_PAGE = "<p>before<script>setTimeout(() => document.body.append('after'), 1500)</script>"


@pytest.mark.parametrize("end", ENDS)
async def test_a_browser_that_is_killed_from_outside_costs_no_page(end: Callable[[int], None]) -> None:
    async with started() as browser:
        assert b"before" in ((await shown(browser, "<p>before")).html or b"")
        showing = asyncio.create_task(shown(browser, "<img src=/a>" * 400 + SLOW_PAGE))
        await asyncio.sleep(0.5)
        end(browser.chromium)
        page = await showing
        assert page.problem == ""
        assert page.html is not None
        assert b"before" in page.html


@pytest.mark.parametrize("end", ENDS)
async def test_a_browser_that_was_killed_while_it_was_idle_costs_no_page(end: Callable[[int], None]) -> None:
    async with started() as browser:
        await shown(browser, "<p>before")
        end(browser.chromium)
        page = await shown(browser, "<p>after")
        assert (page.problem, b"after" in (page.html or b"")) == ("", True)
