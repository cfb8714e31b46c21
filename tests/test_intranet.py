"""An intranet behind four kinds of logins is found whole, also by a crawl that is killed while a session ends.

The crawls run in processes of their own because one of them is killed.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.features.sessions.kept_sessions import read_sessions, sessions_file, write_sessions
from hinterland.crawler.fetching.access.secret_sources import SecretUnusable
from hinterland.crawler.urls.hosts import path_of
from tests.support.crawl_process import CrawlOrder
from tests.support.crawling import Crawled, crawl, fetched, rows, wait_until
from tests.support.intranet import (
    CERTIFIED,
    HOSTS,
    PAGES,
    PASSWORD,
    TOKEN,
    USER,
    Sessions,
    asking_for_certificates,
    define,
    define_certified,
    private,
)
from tests.support.web import LoopbackWeb

pytestmark = pytest.mark.slow


def login_of(folder: Path, web: LoopbackWeb, **more: str) -> dict[str, str]:
    at = web.url("form.test", "/")
    user, password = private(folder, "user", USER), private(folder, "password", PASSWORD)
    return {"at": at, "page": f"{at}login", "user": user, "password": password, "success": "Sign out", **more}


def credentials_of(folder: Path, web: LoopbackWeb) -> list[dict[str, str]]:
    return [
        {"at": web.url("basic.test", "/"), "basic": private(folder, "basic", f"{USER}:{PASSWORD}")},
        {"at": web.url("bearer.test", "/"), "bearer": private(folder, "token", TOKEN)},
    ]


async def test_an_intranet_is_found_whole_and_goes_on_after_a_kill_with_the_session_it_had(tmp_path: Path) -> None:
    sessions, store = Sessions(uses=20), tmp_path / "store.db"
    tls, trusted, certificate = asking_for_certificates(tmp_path)
    async with LoopbackWeb(latency=0.02) as web, LoopbackWeb(tls=tls) as certified:
        define(web, sessions)
        define_certified(certified)
        entries = [*credentials_of(tmp_path, web), {"at": certified.url(CERTIFIED, "/"), **certificate}]
        seeds = [*(web.url(host, "/1") for host in HOSTS), certified.url(CERTIFIED, "/1")]
        changes: dict[str, Any] = {
            "credentials": {"entries": entries},
            "logins": {"entries": [login_of(tmp_path, web)]},
            "fetching": {"ca_file": str(trusted)},
        }
        order = CrawlOrder({**web.addresses, **certified.addresses}, seeds, str(store), changes)
        with order.start() as process:
            await wait_until(lambda: sessions_file(store).exists() and len(web.requests("form.test")) > 14)
            await asyncio.sleep(0.1)
            process.kill()
        assert sessions.logins == 1
        with order.start() as process:
            assert await asyncio.to_thread(process.reason) == "exhausted"
        assert web.overlaps() == []
    wanted = {web.url(host, f"/{number}") for host in HOSTS for number in range(1, PAGES + 1)}
    wanted |= {certified.url(CERTIFIED, f"/{number}") for number in range(1, PAGES + 1)}
    assert fetched(store) >= wanted
    assert (sessions.logins, sessions.refused) == (2, 0)  # the kept session was used until it ended
    assert (sessions.logged_out, sessions.deleted) == (0, 0)
    assert not any(each.path in ("/logout", "/1/delete") for each in web.log)
    marked = {url for (url,) in rows(store, "SELECT url FROM opened JOIN page USING (url)")}
    assert marked >= fetched(store)
    assert sessions_file(store).stat().st_mode & 0o077 == 0
    for secret in (PASSWORD, TOKEN, *sessions.live):
        assert secret.encode() not in store.read_bytes()


async def crawled(folder: Path, web: LoopbackWeb, **more: str) -> Crawled:
    seed = web.url("form.test", "/1")
    return await crawl(web.addresses, [seed], folder / "s.db", logins={"entries": [login_of(folder, web, **more)]})


async def test_a_session_that_ends_again_and_again_is_renewed_at_most_as_often_as_allowed(tmp_path: Path) -> None:
    sessions = Sessions(uses=4)
    async with LoopbackWeb() as web:
        define(web, sessions)
        done = await crawled(tmp_path, web, again="2")
        posts = [each for each in web.log if each.form]
    assert len(posts) == sessions.logins == 3
    found = len([url for url in fetched(tmp_path / "s.db") if path_of(url).strip("/").isdigit()])
    assert found == 12
    shown = done.statistics.features["logins"]
    assert shown == {"made": 3, "ended": 3, "given_up": 1, "not_followed": found + 1}


async def test_a_wrong_password_is_sent_once_and_its_site_is_crawled_as_others_see_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sessions = Sessions()
    async with LoopbackWeb() as web:
        define(web, sessions)
        entry = {**login_of(tmp_path, web), "password": private(tmp_path, "wrong", "planted-wrong-one")}
        seed = web.url("form.test", "/1")
        await crawl(web.addresses, [seed], tmp_path / "s.db", logins={"entries": [entry]}, warc=tmp_path / "warc")
    assert (sessions.logins, sessions.refused) == (0, 1)
    assert "the crawl goes on without it" in caplog.text
    assert "planted-wrong-one" not in caplog.text
    for file in [*(tmp_path / "warc").iterdir(), tmp_path / "s.db"]:
        assert b"planted-wrong-one" not in file.read_bytes()


def test_kept_sessions_that_others_can_read_or_that_are_damaged_are_not_used(tmp_path: Path) -> None:
    file = sessions_file(tmp_path / "s.db")
    assert read_sessions(file) == {}
    write_sessions(file, {})
    file.write_text("{")
    assert read_sessions(file) == {}
    file.chmod(0o644)
    with pytest.raises(SecretUnusable, match="others can read"):
        read_sessions(file)
