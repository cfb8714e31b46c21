"""Checks of what pages load and of links to other hosts: one request each, and no verdict where a host says nothing."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from hinterland.cli.commands import main
from hinterland.cli.exit_codes import FAULTS, OK
from hinterland.crawler.features.link_checks.feature import ChecksOnly
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.urls.hosts import path_of
from hinterland.library.audit.auditing import audit
from hinterland.library.audit.finding import AuditReport, State
from hinterland.library.audit.reports.json_report import json_report
from hinterland.library.text.wording import json_text
from tests.library.audit.site import by_rule
from tests.support.crawling import crawl, rows
from tests.support.web import Answer, Exchange, LoopbackWeb
from tests.test_archive_kill import urls_in

CHECKS = {"use": True, "max_per_host": 20}


class Checked(NamedTuple):
    store: Path
    report: AuditReport
    requests: Counter[tuple[str, str, str]]
    again: Counter[tuple[str, str, str]]
    earlier: Path
    """The report before a page with a broken image was added."""


def asked(web: LoopbackWeb) -> Counter[tuple[str, str, str]]:
    return Counter((each.method, each.host.partition(":")[0], each.path) for each in web.log)


async def knows_no_head(exchange: Exchange) -> None:
    await Answer(status=405 if exchange.request.method == "HEAD" else 200)(exchange)


async def crawled(store: Path) -> Checked:
    """Crawl a site that loads and links things that are there, gone, refused and moved."""
    async with LoopbackWeb() as web:
        other = web.url("b.test", "")
        body = (
            '<img src=/there.png alt=x><img src=/gone.png alt=x><img srcset="/small.png 1x, /gone2.png 2x" alt=x>'
            "<link rel=stylesheet href=/style.css><script src=/gone.js></script><img src=/forbidden/x.png alt=x>"
            + "".join(
                f'<a href="{other}/{name}">{name}</a>'
                for name in ("there", "gone", "login", "busy", "moved", "lost", "liar", "broken")
            )
        )
        seed = web.page("a.test", "/", html=f"<html lang=en><title>x</title>{body}<a href=/two>2</a>")
        web.page("a.test", "/two", html=f'<title>two</title><img src=/gone.png alt=x><a href="{other}/gone">g</a>')
        web.robots("a.test", "User-agent: *\nDisallow: /forbidden/\n")
        for name in ("there", "small"):
            web.answer("a.test", f"/{name}.png", Answer(b"x" * 30_000, 200, "image/png"))
        css = b"@font-face { src: url(/gone.woff) } body { background: url(/there.png) }"
        web.answer("a.test", "/style.css", Answer(css, 200, "text/css"))
        web.page("b.test", "/there")
        web.page("b.test", "/login", status=403)
        web.page("b.test", "/busy", status=429)
        web.redirect("b.test", "/moved", ("b.test", "/there"))
        web.redirect("b.test", "/lost", ("b.test", "/gone"))
        web.answer("b.test", "/liar", knows_no_head)
        web.page("b.test", "/broken", status=500)
        warc = store.with_name("warc")
        await crawl(web.addresses, [seed], store, warc=warc, audit={"page_facts": True}, link_checks=CHECKS)
        first = asked(web)
        web.log.clear()
        await crawl(web.addresses, [], store, audit={"page_facts": True}, link_checks=CHECKS, asked=(ChecksOnly(),))
        again, report, earlier = asked(web), audit(store, examples=100), store.with_name("earlier.json")
        earlier.write_text(json_text(json_report(report)), encoding="utf-8")
        new = web.page("a.test", "/new", html="<title>new</title><img src=/new.png alt=x><img src=/gone.png alt=x>")
        await crawl(web.addresses, [new], store, audit={"page_facts": True}, link_checks=CHECKS)
        return Checked(store, report, first, again, earlier)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    return asyncio.run(crawled(tmp_path_factory.mktemp("checks") / "s.db"))


@pytest.mark.parametrize(
    "rule, expected",
    [
        ("broken-image", ["gone.png", "gone2.png"]),
        ("broken-asset", ["gone.js", "gone.woff"]),
        ("unchecked-asset", ["forbidden/x.png"]),
        ("unreachable-asset", []),
        ("broken-outside-link", ["gone", "lost"]),
        ("unchecked-outside-link", ["busy", "login"]),
        ("unreachable-outside-link", ["broken"]),
        ("heavy-image", []),
    ],
)
def test_what_is_gone_is_told_from_what_says_nothing(checked: Checked, rule: str, expected: list[str]) -> None:
    finding = by_rule(checked.report)[rule]
    assert finding.state is (State.FOUND if expected else State.NONE)
    assert sorted(each.url.split("/", 3)[3] for each in finding.examples) == expected


def test_a_font_is_caused_by_the_page_that_loads_its_style_sheet(checked: Checked) -> None:
    examples = {each.url.split("/", 3)[3]: each for each in by_rule(checked.report)["broken-asset"].examples}
    assert [cause.url.split("/", 3)[3] for cause in examples["gone.woff"].causes] == [""]
    images = {each.url.split("/", 3)[3]: each for each in by_rule(checked.report)["broken-image"].examples}
    assert sorted(cause.url.split("/", 3)[3] for cause in images["gone.png"].causes) == ["", "two"]


def test_each_address_is_asked_for_once_unless_an_error_may_be_about_the_method(checked: Checked) -> None:
    for host, about_head in (("a.test", 0), ("b.test", 2)):  # /liar and /login
        of_host = Counter[str]()
        for (_, name, path), count in checked.requests.items():
            of_host[path] += count * (name == host)
        repeated = {path for path, count in of_host.items() if count > 1} - {"/busy", "/broken"}  # passing errors
        assert len(repeated) == 1 + about_head, of_host
    assert ("GET", "a.test", "/there.png") not in checked.requests
    assert not [key for key in checked.requests if key[2].startswith("/forbidden")]


def test_an_archive_made_meanwhile_has_pages_and_style_sheets_and_no_answer_without_its_body(checked: Checked) -> None:
    archived = {url.split("/", 3)[3] for url in urls_in(checked.store.with_name("warc"))}
    assert archived == {"", "two", "robots.txt", "style.css"}


def test_what_was_checked_is_not_asked_for_again_before_it_is_old(checked: Checked) -> None:
    assert not {key for key in checked.again if key[2] != "/robots.txt"}


def test_a_crawl_that_only_checks_visits_no_page_and_forgets_none(checked: Checked) -> None:
    assert rows(checked.store, "SELECT count(*) FROM page WHERE is_local AND state = 'fetched'") == [(3,)]


def test_a_build_fails_for_a_new_broken_image_with_one_line_that_says_where_it_is(
    checked: Checked, capsys: pytest.CaptureFixture[str]
) -> None:
    compare = ["audit", str(checked.store), "--compare", str(checked.earlier), "--only-new"]
    assert main([*compare, "--fail-on", "broken-asset"]) == OK
    capsys.readouterr()
    assert main([*compare, "--fail-on", "broken-image"]) == FAULTS
    [line] = capsys.readouterr().err.splitlines()
    image, page = (rf"http://a\.test:\d+/{name}" for name in (r"new\.png", "new"))
    told = rf"hinterland: audit: broken-image: 1 new fault: images that do not exist: {image} \(status 404\), on {page}"
    assert re.fullmatch(told, line)


async def test_a_budget_that_is_used_up_leaves_the_checks_of_hosts_whose_names_are_not_looked_up_yet(
    tmp_path: Path,
) -> None:
    async with LoopbackWeb() as web:
        elsewhere = web.page("b.test", "/there")
        seed = web.page("a.test", "/", html=f'<title>x</title><a href="{elsewhere}">there</a><a href=/two>two</a>')
        web.page("a.test", "/two")
        done = await crawl(
            web.addresses, [seed], tmp_path / "c.db", max_pages=1, audit={"page_facts": True}, link_checks=CHECKS
        )
    assert done.reason is EndReason.MAX_PAGES
    assert rows(tmp_path / "c.db", "SELECT url, outcome FROM link_check") == [(elsewhere, "fetched")]


def test_faults_outside_the_site_count_for_the_site_and_weigh_by_the_links_to_them(checked: Checked) -> None:
    assert all("//a.test" in host for host in checked.report.counts_by_host())
    assert by_rule(checked.report)["broken-outside-link"].weight.site > 0


async def test_a_link_by_way_of_another_host_to_a_missing_page_of_the_site_is_broken(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        out = web.url("b.test", "/back")
        seed = web.page("a.test", "/", html=f'<a href="{out}">x</a><a href=/absent>y</a><img src=/there.png alt=z>')
        web.redirect("b.test", "/back", ("a.test", "/absent"))
        await crawl(web.addresses, [seed], tmp_path / "s.db", audit={"page_facts": True}, link_checks=CHECKS)
    finding = by_rule(audit(tmp_path / "s.db"))["broken-outside-link"]
    assert [(each.url, "status 404" in each.note) for each in finding.examples] == [(out, True)]


@pytest.mark.parametrize("is_checked_during_the_crawl", [True, False])
async def test_the_size_of_an_image_that_pages_link_to_is_known_by_its_visit_or_the_report_says_that_it_is_not(
    is_checked_during_the_crawl: bool, tmp_path: Path
) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<a href=/i.png>large</a><img src=/i.png alt=x><img src=/j.png alt=y>")
        for name in ("i", "j"):
            web.answer("a.test", f"/{name}.png", Answer(b"x" * 600_000, 200, "image/png"))
        store, checks = tmp_path / "s.db", {**CHECKS, "use": is_checked_during_the_crawl}
        await crawl(web.addresses, [seed], store, audit={"page_facts": True}, link_checks=checks)
        image = web.url("a.test", "/i.png")
        if not is_checked_during_the_crawl:
            await crawl(web.addresses, [], store, audit={"page_facts": True}, link_checks=CHECKS, asked=(ChecksOnly(),))
    finding = by_rule(audit(store))["heavy-image"]
    assert (image in finding.faults.urls) == is_checked_during_the_crawl
    assert finding.why == (
        "" if is_checked_during_the_crawl else "of 1 image that pages link to, too, the size is not known"
    )
    assert asked(web)["GET", "a.test", "/i.png"] == 1


async def test_checks_keep_the_rests_of_their_hosts_as_pages_do(tmp_path: Path) -> None:
    rest = 0.1
    async with LoopbackWeb() as web:
        links = "".join(f'<a href="{web.url("b.test", f"/{number}")}">x</a>' for number in range(4))
        images = "".join(f"<img src=/{number}.png alt=x>" for number in range(4))
        seed = web.page("a.test", "/", html=links + images)
        web.answer("a.test", "/0.png", Answer(b"x", 200, "image/png"))
        web.page("b.test", "/0")
        await crawl(
            web.addresses,
            [seed],
            tmp_path / "s.db",
            politeness={"delay_seconds": rest},
            audit={"page_facts": True},
            link_checks=CHECKS,
        )
    for host, requests in (("a.test", 7), ("b.test", 6)):  # robots.txt, the page, four checks, and GET once
        log = sorted((each for each in web.log if each.host == host), key=lambda each: each.started)
        assert len(log) == requests
        assert all(after.started - before.finished >= rest for before, after in itertools.pairwise(log))


async def test_an_audit_says_what_an_archive_lacks_and_which_pages_need_it(tmp_path: Path) -> None:
    async with LoopbackWeb() as web:
        seed = web.page("a.test", "/", html="<title>a</title><link rel=stylesheet href=/style.css><a href=/two>two</a>")
        web.page("a.test", "/two", html="<title>b</title><img src=/there.png><img src=/forbidden/x.png>")
        web.robots("a.test", "User-agent: *\nDisallow: /forbidden/\n")
        web.answer("a.test", "/there.png", Answer(b"x", 200, "image/png"))
        web.answer(
            "a.test",
            "/style.css",
            Answer(b"@import url(/style.css); b { background: url(/gone.png) }", 200, "text/css"),
        )
        await crawl(web.addresses, [seed], tmp_path / "s.db", warc=tmp_path / "warc", requisites={"fetch": "site"})
    finding = by_rule(audit(tmp_path / "s.db", examples=10))["missing-requisite"]
    found = {
        each.url.split("/", 3)[3]: (each.note, [path_of(cause.url) for cause in each.causes])
        for each in finding.examples
    }
    assert found == {"gone.png": ("image: status 404", ["/"]), "forbidden/x.png": ("image: robots", ["/two"])}
