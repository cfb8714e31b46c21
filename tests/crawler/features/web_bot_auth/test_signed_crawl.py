"""A crawl whose requests a site wants signed: each page is asked for once more, and then with a signature."""

from __future__ import annotations

from pathlib import Path

import pytest

from hinterland.cli import identity
from hinterland.cli.commands import main
from hinterland.crawler.features.web_bot_auth.keys import directory, make_key
from tests.crawler.features.web_bot_auth.test_signature import AGENT, CHALLENGE, is_verified
from tests.support.crawling import crawl, fetched
from tests.support.web import Answer, Exchange, LoopbackWeb, Page

pytestmark = pytest.mark.slow


async def test_a_site_that_asks_for_signatures_is_read(tmp_path: Path) -> None:
    make_key(tmp_path)
    keys = directory(tmp_path)

    async def guarded(exchange: Exchange) -> None:
        request = exchange.request
        fields = {name.title(): value for name, value in request.headers.items()}
        if is_verified(f"http://{request.headers['host']}{request.path}", fields, keys):
            await Page("inside", ["/a", "/b"], 200, {})(exchange)
        else:
            await Answer(b"who are you?", 403, headers={"Accept-Signature": CHALLENGE})(exchange)

    async with LoopbackWeb() as web:
        for path in ("/", "/a", "/b"):
            web.answer("in.test", path, guarded)
        web.page("out.test", "/")
        chosen = {"key": str(tmp_path / "key.pem"), "agent": AGENT}
        seeds = [web.url("in.test"), web.url("out.test")]
        done = await crawl(web.addresses, seeds, tmp_path / "s.db", signatures=chosen)
        signed = {(each.host, each.path) for each in web.log if "signature" in each.headers}
        asked = [each.path for each in web.requests("in.test")]
    assert fetched(done.store) == {*seeds, web.url("in.test", "/a"), web.url("in.test", "/b")}
    assert sorted(asked) == ["/", "/", "/a", "/b"]
    assert signed == {("in.test", "/"), ("in.test", "/a"), ("in.test", "/b")}
    assert done.statistics.features["signatures"] == {"made": 1, "asked": 1, "refused": 0}


def test_the_command_makes_shows_replaces_and_publishes_a_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["identity", "show"]) != 0
    assert "`identity new` makes one" in capsys.readouterr().err
    assert main(["identity", "new"]) == 0
    first = directory(tmp_path / "identity")["keys"][0]["kid"]
    assert first in capsys.readouterr().out
    assert main(["identity", "new"]) == 0
    assert f"still in the directory for a week: {first}" in capsys.readouterr().out
    assert main(["identity", "publish"]) != 0
    assert "signatures.agent" in capsys.readouterr().err
    given = ["--set", f"signatures.agent={AGENT}", "--set", "identity.contact=mailto:me@a.example"]
    assert main(["identity", "publish", *given]) == 0
    site = tmp_path / identity._SITE
    assert (site / ".well-known/http-message-signatures-directory").exists()
    assert "me@a.example" in (site / "index.html").read_text()
