"""What pages need to be shown is fetched with them: once, politely, as robots.txt allows, and before the next page."""

from __future__ import annotations

from pathlib import Path

from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.storage.values.compression import unpacked_bytes
from tests.support.crawling import crawl, rows
from tests.support.web import Answer, LoopbackWeb

ALL = {"fetch": "all"}


def css(text: str) -> Answer:
    return Answer(text.encode(), content_type="text/css")


def picture(content: bytes = b"GIF89a") -> Answer:
    return Answer(content, content_type="image/gif")


def shop(web: LoopbackWeb) -> str:
    """A site of two pages with requisites of every fate."""
    web.robots("a.test", "User-agent: *\nDisallow: /private/")
    web.robots("cdn.test", "User-agent: *\nDisallow: /no")
    web.robots("dead.test", "", 503)
    html = (
        "<link rel=stylesheet href=/s.css><link rel=stylesheet href=/loop.css><img src=/i.gif><img src=/i.gif#x>"
        "<img src=/private/p.gif><img src=/lost.gif><img src=/moved.gif><img src=/large.gif><iframe src=/two></iframe>"
        f"<iframe src={web.url('frame.test', '/f.html')}></iframe><img src={web.url('cdn.test', '/c.gif')}>"
        f"<img src={web.url('cdn.test', '/no.gif')}><img src={web.url('dead.test', '/x.gif')}>"
    )
    web.answer("a.test", "/s.css", css("@import 'deep.css'; p{background:url(/bg.gif)}"))
    web.answer("a.test", "/deep.css", css("@font-face{src:url(/f.woff)}"))
    web.answer("a.test", "/loop.css", css("@import 'loop.css'; @import 'other.css';"))
    web.answer("a.test", "/other.css", css("@import 'loop.css';"))
    web.answer("frame.test", "/f.html", Answer(b"<img src=/in.gif>"))
    for host, path in (("a.test", "/i.gif"), ("a.test", "/bg.gif"), ("a.test", "/f.woff"), ("cdn.test", "/c.gif"),
                       ("frame.test", "/in.gif"), ("a.test", "/there.gif"), ("a.test", "/two.gif")):  # fmt: skip
        web.answer(host, path, picture())
    web.answer("a.test", "/large.gif", picture(b"x" * 1_000_001))
    web.redirect("a.test", "/moved.gif", "/there.gif")
    web.page("a.test", "/two", html="<img src=/i.gif><img src=/two.gif>")
    return web.page("a.test", "/", html=html + "<a href=/two>two</a>")


def ends(store: Path) -> dict[str, str | None]:
    found = rows(store, "SELECT url, outcome FROM requisite")
    return {url.split("//")[1].partition(":")[0] + "/" + url.split("/", 3)[3]: outcome for url, outcome in found}


async def test_every_requisite_has_an_outcome(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        done = await crawl(web.addresses, [shop(web)], tmp_path / "s.db", requisites={**ALL, "max_mb": 1})
    assert ends(done.store) == {
        "a.test/s.css": "fetched", "a.test/deep.css": "fetched", "a.test/f.woff": "fetched", "a.test/bg.gif": "fetched",
        "a.test/loop.css": "fetched", "a.test/other.css": "fetched", "a.test/i.gif": "fetched",
        "a.test/private/p.gif": "robots", "a.test/lost.gif": "client_error", "a.test/moved.gif": "redirected",
        "a.test/there.gif": "fetched", "a.test/large.gif": "too_large", "a.test/two": "page",
        "frame.test/f.html": "fetched", "frame.test/in.gif": "fetched", "cdn.test/c.gif": "fetched",
        "cdn.test/no.gif": "robots", "dead.test/x.gif": "host_given_up", "a.test/two.gif": "fetched",
    }  # fmt: skip
    assert max(web.fetches().values()) == 1
    assert web.overlaps() == []
    assert not web.requests("a.test", "/private/p.gif")
    assert not web.requests("cdn.test", "/no.gif")
    [robots, *_] = web.requests("cdn.test", "/robots.txt")
    assert robots.started < web.requests("cdn.test", "/c.gif")[0].started
    counts = done.statistics.features["requisites"]
    assert (counts["waiting"], counts["fetched"]) == (0, 12)
    lacking = rows(
        done.store,
        "SELECT url FROM page_requisite JOIN requisite ON number = requisite"
        " WHERE page_requisite.page = 0 AND outcome NOT IN ('fetched', 'redirected', 'page')",
    )
    assert {url.rpartition("/")[2] for (url,) in lacking} == {"p.gif", "lost.gif", "large.gif", "no.gif", "x.gif"}
    bodies = [unpacked_bytes(body) for (body,) in rows(done.store, "SELECT body FROM requisite_body")]
    assert b"GIF89a" in bodies
    assert len(bodies) == len(set(bodies)) == 6  # that of the pictures is kept once


async def test_only_the_site_of_the_page_is_asked_if_so_wanted_and_nobody_if_not(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        await crawl(web.addresses, [shop(web)], tmp_path / "s.db", requisites={"fetch": "site"})
        assert {request.host for request in web.log} == {"a.test"}
        assert web.requests("a.test", "/f.woff")
        web.log.clear()
        await crawl(web.addresses, [shop(web)], tmp_path / "none.db")
    assert {request.path for request in web.log} <= {"/", "/two", "/f.html", "/robots.txt"}
    assert rows(tmp_path / "none.db", "SELECT count(*) FROM requisite") == [(0,)]


async def test_requisites_of_the_last_pages_are_fetched_although_the_budget_is_used_up(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<a href=/b>b</a><a href=/c>c</a><img src=/1.gif><img src=/2.gif>")
        done = await crawl(web.addresses, [seed], tmp_path / "s.db", max_pages=1, requisites=ALL)
        assert done.reason is EndReason.MAX_PAGES
        assert sorted(web.fetches()) == [("a.test", "/"), ("a.test", "/1.gif"), ("a.test", "/2.gif")]
        web.page("a.test", "/b")
        done = await crawl(web.addresses, [], tmp_path / "s.db", requisites=ALL)
        assert done.outcome(web.url("a.test", "/b")) == "fetched"
        assert web.fetches()["a.test", "/1.gif"] == 1


async def test_requisites_come_after_their_page_and_before_further_pages_of_its_host(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        pages = [f"/{number}" for number in range(3)]
        for path in pages:
            web.page("a.test", path, html=f"<img src={path}.gif><link rel=icon href={path}.ico>")
        seed = web.page("a.test", "/", html="".join(f"<a href={path}>x</a>" for path in pages))
        await crawl(web.addresses, [seed], tmp_path / "s.db", requisites=ALL, politeness={"delay_seconds": 0.03})
    order = [request.path for request in sorted(web.requests(), key=lambda request: request.started)]
    assert order == ["/", *(f"{path}{end}" for path in pages for end in ("", ".gif", ".ico"))]
    assert all(gap >= 0.03 for gap in web.gaps("a.test"))


async def test_a_page_may_cause_a_limited_number_of_requests_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer("a.test", "/s.css", css("".join(f"p{{background:url(/{number}.gif)}}" for number in range(50))))
        seed = web.page("a.test", "/", html="<link rel=stylesheet href=/s.css><img src=a.gif><img src=b.gif>")
        await crawl(web.addresses, [seed], tmp_path / "s.db", requisites={**ALL, "max_per_page": 10})
    assert len(web.requests()) == 11
    assert rows(tmp_path / "s.db", "SELECT left_out FROM requisite_cut") == [(43,)]


async def test_an_old_file_is_fetched_again_once_if_a_page_still_needs_it(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<img src=/i.gif><img src=/unused.gif><a href=/b>b</a><a href=/c>c</a>")
        for path in ("/i.gif", "/unused.gif"):
            web.answer("a.test", path, picture())
        await crawl(web.addresses, [seed], tmp_path / "s.db", max_pages=1, requisites=ALL)
        for path in ("/b", "/c"):
            web.page("a.test", path, html="<img src=/i.gif>")
        for age, fetches in ((30, 1), (0, 2)):
            await crawl(
                web.addresses, [], tmp_path / "s.db", max_pages=3 - (age > 0), requisites={**ALL, "max_age_days": age}
            )
            assert web.fetches()["a.test", "/i.gif"] == fetches
        assert web.fetches()["a.test", "/unused.gif"] == 1


async def test_a_host_that_fails_is_asked_again(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        web.answer("cdn.test", "/busy.gif", Answer(b"", 503))
        seed = web.page("a.test", "/", html=f"<img src={web.url('cdn.test', '/busy.gif')}><img src=/i.gif>")
        web.answer("a.test", "/i.gif", picture())
        await crawl(web.addresses, [seed], tmp_path / "s.db", requisites=ALL)
    assert ends(tmp_path / "s.db") == {"cdn.test/busy.gif": "unavailable", "a.test/i.gif": "fetched"}
    assert web.fetches()["cdn.test", "/busy.gif"] == 3
