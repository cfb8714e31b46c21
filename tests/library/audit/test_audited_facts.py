"""Faults in what pages load, say to machines and list in sitemaps, planted in a small web and found by its audit."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hinterland.library.audit.auditing import audit
from hinterland.library.audit.finding import AuditReport, State
from tests.library.audit.site import by_rule
from tests.support.crawling import crawl
from tests.support.sitemaps import urlset
from tests.support.web import Answer, LoopbackWeb

GERMAN = """
Der Leuchtturm steht seit mehr als hundert Jahren auf dem Felsen vor der Insel und warnt die Schiffe vor den Klippen.
Am Morgen steigt der Wärter die Stufen hinauf, putzt die Scheiben und schreibt auf, wie das Wetter in der Nacht war.
Wenn der Wind aus dem Norden kommt, hört man die Wellen bis in das Dorf, und niemand fährt dann mit dem Boot hinaus.
Die Kinder lernen in der Schule, was die Zeichen bedeuten, und manche von ihnen wollen später selbst auf dem Turm
arbeiten. Im Sommer kommen viele Gäste, die mit der Fähre über das Meer fahren und am Abend wieder nach Hause wollen.
Wer länger bleibt, findet ein Zimmer bei der Wirtin am Hafen, die auch einen guten Kuchen backt und gern erzählt.
"""
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'",
}


def head(title: str, more: str = "", lang: str = "en") -> str:
    """The head of a page in order but for what `more` does to it."""
    return (
        f'<!doctype html><html lang={lang}><title>{title}</title><meta name=description content="About {title}.">'
        f"<meta name=viewport content=x>{more}<body><h1>{title}</h1>"
    )


async def crawled(path: Path) -> None:
    """Crawl the web of planted faults into a store."""
    async with LoopbackWeb() as web:
        root = web.url("a.test", "")
        links = "".join(
            f'<a href="/{name}">{name}</a>'
            for name in ("anchors", "alt", "data", "canonicals", "narrow", "de", "fr", "german", "loud", "moved")
        )
        seed = web.page("a.test", "/", html=head("Front") + links + '<a href="/anchors#good">x</a>', headers=SAFE)
        anchors = '<p id=good><a href="/#gone">up</a><a href="#missing">down</a><a href="/moved#good">m</a>'
        web.page("a.test", "/anchors", html=head("Anchors") + anchors, headers=SAFE)
        web.redirect("a.test", "/moved", ("a.test", "/anchors"))
        web.page("a.test", "/alt", html=head("Alt") + '<img src=x.png><a href="/">up</a>', headers=SAFE)
        bad = '<script type="application/ld+json">{"a": }</script>'
        web.page("a.test", "/data", html=head("Data", bad) + '<a href="/">up</a>', headers=SAFE)
        two = '<link rel=canonical href="/canonicals"><link rel=canonical href="/">'
        web.page("a.test", "/canonicals", html=head("Canonicals", two) + '<a href="/">up</a>', headers=SAFE)
        web.page(
            "a.test", "/narrow", html="<html lang=en><title>Narrow</title><h1>x</h1><a href=/>up</a>", headers=SAFE
        )
        german = '<link rel=alternate hreflang=fr href="/fr"><link rel=alternate hreflang=en-UK href="/gone">'
        web.page("a.test", "/de", html=head("German", german) + '<a href="/gone">x</a>', headers=SAFE)
        web.page("a.test", "/fr", html=head("French") + '<a href="/">up</a>', headers=SAFE)
        web.page("a.test", "/german", html=head("Text") + f'<p>{GERMAN}<a href="/">up</a>', headers=SAFE)
        web.page("a.test", "/loud", html=head("Loud") + '<a href="/">up</a>')
        web.page("a.test", "/alone", html=head("Alone") + '<a href="/">up</a>', headers=SAFE)
        closed = "<meta name=robots content=noindex>"
        web.page("a.test", "/closed", html=head("Closed", closed) + '<a href="/">up</a>', headers=SAFE)
        listed = [f"{root}/{name}" for name in ("", "anchors", "alone", "absent", "closed", "moved")]
        web.answer("a.test", "/sitemap.xml", Answer(urlset(*listed), 200, "application/xml"))
        web.robots("a.test", f"Sitemap: {root}/sitemap.xml\n")
        await crawl(web.addresses, [seed], path, audit={"page_facts": True}, sitemaps={"use": "always"})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    store = tmp_path_factory.mktemp("facts") / "s.db"
    asyncio.run(crawled(store))
    return audit(store, examples=1_000)


@pytest.mark.parametrize(
    "rule, expected",
    [
        ("broken-fragment", ["/#gone", "/anchors#missing"]),
        ("image-alt", ["/alt"]),
        ("structured-data-broken", ["/data"]),
        ("several-canonicals", ["/canonicals"]),
        ("viewport-missing", ["/narrow"]),
        ("hreflang-no-return", ["/de"]),
        ("hreflang-code", ["/de"]),
        ("hreflang-broken", ["/de"]),
        ("hreflang-default", ["/de"]),
        ("language-differs", ["/german"]),
        ("security-headers", [""]),
        ("mixed-content", []),
        ("orphan", ["/alone", "/closed"]),
        ("sitemap-dead", ["/absent"]),
        ("sitemap-closed", ["/closed"]),
        ("sitemap-redirected", ["/moved"]),
        ("sitemap-blocked", []),
        ("sitemap-missing", ["/alt", "/canonicals", "/data", "/de", "/fr", "/german", "/loud", "/narrow"]),
        ("near-duplicate", []),
    ],
)
def test_planted_faults_are_found_and_no_others(report: AuditReport, rule: str, expected: list[str]) -> None:
    finding = by_rule(report)[rule]
    assert finding.state is (State.FOUND if expected else State.NONE)
    assert sorted(each.url.split("/", 3)[3] if each.url.count("/") > 2 else "" for each in finding.examples) == sorted(
        each.removeprefix("/") for each in expected
    )


def test_a_broken_fragment_names_the_page_that_links_there(report: AuditReport) -> None:
    example = next(each for each in by_rule(report)["broken-fragment"].examples if each.url.endswith("/#gone"))
    assert [cause.url.split("/", 3)[3] for cause in example.causes] == ["anchors"]


def test_a_host_without_security_fields_says_on_how_many_pages(report: AuditReport) -> None:
    [example] = by_rule(report)["security-headers"].examples
    assert "X-Content-Type-Options on 1 of" in example.note
    assert [cause.url.split("/", 3)[3] for cause in example.causes] == ["loud"]
