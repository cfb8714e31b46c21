"""What scripts of rendered pages fetch with a login: only for their own origin, and their pages are marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinterland.storage.reading.opening import reading
from tests.support.browsing import CHROMIUM
from tests.support.crawling import crawl, rows
from tests.support.web import Answer, LoopbackWeb, Request

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]

TOKENS = {"app.test": "planted-token-of-app", "in.test": "planted-token-of-in"}
OPEN_TO_ALL = {"Access-Control-Allow-Origin": "*"}

SCRIPT = """
const root = document.getElementById("root");
const say = (text) => root.insertAdjacentHTML("beforeend", "<p>" + text);
const ask = async (url) => { try { say(await (await fetch(url)).text()); } catch { say("nothing of " + url); } };
say(document.title + "|" + document.cookie + "|" + Object.values(localStorage));
if (location.pathname === "/members")
  (async () => { for (const url of %s) await ask(url); })();
else say("for everybody");
"""


def shell(path: str) -> Answer:
    html = f'<title>{path}</title><a href="/members">in</a><div id="root"></div><script src="/app.js"></script>'
    return Answer(html.encode())


def sent(request: Request) -> str:
    return "\n".join([request.path, *(f"{name}: {value}" for name, value in request.headers.items())])


async def test_scripts_get_the_login_of_their_own_origin_alone_and_what_they_show_is_marked(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for host, token in TOKENS.items():
        (tmp_path / host).write_text(token, encoding="utf-8")
        (tmp_path / host).chmod(0o600)
    async with LoopbackWeb() as web:
        api, inner = web.url("app.test", "/api/"), web.url("in.test", "/")
        entries = [
            {"at": at, "bearer": f"file:{tmp_path / host}"} for host, at in zip(TOKENS, (api, inner), strict=True)
        ]
        asked = [f"{api}names", f"{api}away", f"{inner}names", web.url("out.test", "/names")]
        web.answer("app.test", "/", shell("/"))
        web.answer("app.test", "/members", shell("/members"))
        web.answer("app.test", "/app.js", Answer((SCRIPT % json.dumps(asked)).encode(), content_type="text/javascript"))
        for host, path in (("app.test", "/api/names"), ("in.test", "/names"), ("out.test", "/names")):
            web.answer(host, path, Answer(f"names of {host}".encode(), content_type="text/plain", headers=OPEN_TO_ALL))
        web.redirect("app.test", "/api/away", ("out.test", "/names"))
        done = await crawl(
            web.addresses, [web.url("app.test", "/")], tmp_path / "out/store.db", warc=tmp_path / "out/warc",
            rendering={"pages": "always", "quiet_seconds": 0.1}, credentials={"entries": entries},
            storage={"keep_bodies": True},
        )  # fmt: skip
    own = [each for each in web.log if each.headers["host"] == f"app.test:{web.port}" and each.path.startswith("/api/")]
    assert {each.path for each in own} == {"/api/names", "/api/away"}
    of_crawl = web.requests("in.test", "/robots.txt")  # the crawl itself asks for it, before any script may
    assert [each.headers["authorization"] for each in of_crawl] == [f"Bearer {TOKENS['in.test']}"]
    for each in (each for each in web.log if each not in of_crawl):
        expected = f"Bearer {TOKENS['app.test']}" if each in own else None
        assert each.headers.get("authorization") == expected
        assert not any(token in sent(each).replace(expected or "-", "") for token in TOKENS.values())
    assert web.requests("in.test", "/names")
    assert web.requests("out.test", "/names")
    with reading(done.store) as store:
        page = store.pages.by_url(web.url("app.test", "/members"))
        assert page is not None
        shown = store.pages.text(page.number)
    assert shown is not None
    assert "names of app.test" in shown.text
    marks = dict(rows(done.store, "SELECT url, opened_by FROM opened JOIN page USING (url)"))
    assert marks == {web.url("app.test", "/members"): "bearer"}
    for file in (each for each in (tmp_path / "out").rglob("*") if each.is_file()):
        assert not any(token.encode() in file.read_bytes() for token in TOKENS.values()), file
