"""`recrawl`, `changes` and `diff`: whole commands, and how they fail."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import hinterland
from hinterland.cli import main
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.crawls import crawl_run
from hinterland.library.crawls.ending import Ending
from hinterland.library.crawls.observer import CrawlObserver
from hinterland.library.crawls.plan import CrawlPlan
from tests.support.changing_web import TEXT, Documents, home
from tests.support.crawling import fetched, rows
from tests.support.in_process import complaint, said
from tests.support.web import Answer, LoopbackWeb
from tests.support.web_thread import served

pytestmark = pytest.mark.slow

MANNERS = (
    "politeness.delay_seconds=0",
    "politeness.delay_factor=0",
    "politeness.address_delay_seconds=0",
    "fetching.allow_networks=127.0.0.0/8",
    "fetching.addresses=a.test=127.0.0.1",
    "identity.contact=mailto:me@a.test",
)


@dataclass(frozen=True, slots=True)
class Site:
    web: LoopbackWeb
    pages: Documents
    store: Path

    @property
    def url(self) -> str:
        return self.web.url("a.test")


def crawl_site(capsys: pytest.CaptureFixture[str], site: Site, *options: str) -> None:
    settings = [word for each in MANNERS for word in ("--set", each)]
    main(["crawl", f"{site.url}home", "--store", str(site.store), *settings, *options])
    capsys.readouterr()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with served(LoopbackWeb()) as web:
        pages = Documents(web, home=home("a", "b"), a=TEXT.format("old", ""), b=TEXT.format("other", ""))
        yield Site(web, pages, tmp_path / "s.db")


def test_what_has_changed_is_read_told_and_shown_beside_what_was_there(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    crawl_site(capsys, site)
    site.pages["a"], site.pages["b"] = TEXT.format("new", "<a href=/c>c</a>"), Answer(b"", 410)
    site.pages["c"] = "<title>c</title>"
    told = said(capsys, "recrawl", site.store)
    assert "revisited 3: 1 as before, 1 changed, 1 gone, 1 new" in " ".join(told.split())
    assert fetched(site.store) == {f"{site.url}home", f"{site.url}a", f"{site.url}c"}

    lines = said(capsys, "changes", site.store).splitlines()
    assert {tuple(line.split()[2:]) for line in lines} == {
        ("new", f"{site.url}c"),
        ("changed", "14", "%", f"{site.url}a"),
        ("gone", f"{site.url}b"),
    }
    gone = said(capsys, "changes", site.store, "--json", "--kind", "gone", "--since", "1h").splitlines()
    assert [json.loads(line)["url"] for line in gone] == [f"{site.url}b"]
    assert "until the [-old-] {+new+} mill." in said(capsys, "diff", f"{site.url}a", "--store", site.store)
    assert "old mill" in said(capsys, "diff", f"{site.url}a", "--store", site.store, "--text")
    assert "[-Take the path" in said(capsys, "diff", f"{site.url}b", "--store", site.store)
    status = said(capsys, "status", site.store)
    assert "revisited 3" in status
    assert "Of 3 pages the oldest check was" in status
    told = said(capsys, "explain", f"{site.url}a", "--store", site.store, "--offline")
    assert "1 time, last" in told
    assert "1 change" in told


def test_explain_and_changes_say_what_became_of_each_page(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("removed", "lost", "moved", "hidden")
    site.pages["home"] = home(*names)
    for name in names:
        site.pages[name] = TEXT.format(name, "")
    site.web.robots("a.test", "")
    soon = [word for each in SOON for word in ("--set", each)]
    crawl_site(capsys, site, *soon)
    site.pages["removed"], site.pages["lost"] = Answer(b"", 410), None
    site.pages["moved"], site.pages["here"] = Answer(b"", 301, headers={"Location": "/here"}), TEXT.format("moved", "")
    site.web.robots("a.test", "User-agent: *\nDisallow: /hidden")
    said(capsys, "recrawl", site.store, *soon)
    assert "not found the last 1 time" in explained(capsys, site, "lost")
    said(capsys, "recrawl", site.store, *soon)
    site.pages["removed"] = TEXT.format("restored", "")
    said(capsys, "recrawl", site.store, *soon)

    found = {tuple(line.split()[2:]) for line in said(capsys, "changes", site.store).splitlines()}
    told = [("removed", "gone"), ("lost", "gone"), ("moved", "moved"), ("hidden", "gone"), ("here", "new")]
    assert found == {(kind, f"{site.url}{name}") for name, kind in [*told, ("removed", "back")]}
    for name, kind in [("removed", "back"), *told[1:4]]:
        assert re.search(rf"the last change was found \S+ \S+: {kind}", explained(capsys, site, name))
    assert f"moved here from {site.url}moved" in explained(capsys, site, "here")
    assert fetched(site.store) == {f"{site.url}{name}" for name in ("home", "removed", "here")}
    assert "The texts are the same" in said(capsys, "diff", f"{site.url}here", "--store", site.store)


def test_a_crawl_goes_on_to_keep_its_pages_fresh_if_it_ended_well(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[CrawlPlan] = []
    endings: list[Ending] = []
    run = crawl_run.run

    def noted(plan: CrawlPlan, observer: CrawlObserver) -> Ending:
        if plan.revisiting is None:
            endings.append(run(plan, observer))
            return endings[-1]
        plans.append(plan)
        return replace(endings[-1], reason=EndReason.STOPPED)

    monkeypatch.setattr(crawl_run, "run", noted)
    settings = [word for each in MANNERS for word in ("--set", each)]
    fresh = ["crawl", f"{site.url}home", "--keep-fresh", "100/h", "--store", str(site.store), *settings]
    assert main(fresh) == 6
    [plan] = plans
    assert plan.revisiting is not None
    assert (plan.revisiting.budget, plan.revisiting.seconds, plan.resume) == (100 / 3600, None, True)
    assert main([*fresh[:-1], "identity.contact=nobody", "--store", str(site.store.with_name("t.db"))]) == 2
    assert len(plans) == 1
    capsys.readouterr()


SOON = (
    *("revisits.gone_after_looks=2", "revisits.gone_after_days=0"),
    *("robots.max_age_seconds=0", "robots.retry_seconds=0.1"),
)


def explained(capsys: pytest.CaptureFixture[str], site: Site, name: str) -> str:
    return " ".join(said(capsys, "explain", f"{site.url}{name}", "--store", site.store, "--offline").split())


def test_settings_and_budget_of_the_crawl_stay(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    crawl_site(capsys, site, "--max-pages", "3", "--set", "storage.keep_bodies=true")
    site.pages["a"] = TEXT.format("new", "<a href=/c>c</a>")
    site.pages["c"] = "<title>c</title>"
    settings = [word for each in MANNERS[3:5] for word in ("--set", each)]
    assert said(capsys, "settings", "--store", site.store, *settings).count("the last run in") > 3
    assert main(["recrawl", str(site.store)]) == 5
    capsys.readouterr()
    assert len(fetched(site.store)) == 3
    assert rows(site.store, "SELECT count(*) FROM content WHERE body IS NOT NULL") == [(3,)]
    said(capsys, "recrawl", str(site.store), "--max-pages", "10")
    assert f"{site.url}c" in fetched(site.store)


NO_BODIES = ("--set", "storage.keep_bodies_mb=0")
BODIES = "SELECT count(body), count(text) FROM content"


@pytest.mark.parametrize("has_validators", [True, False])
def test_recrawl_adds_bodies_that_the_crawl_did_not_keep_and_changes_nothing_else(
    site: Site, capsys: pytest.CaptureFixture[str], *, has_validators: bool
) -> None:
    site.pages.etags = has_validators
    crawl_site(capsys, site, *NO_BODIES)
    assert rows(site.store, BODIES) == [(0, 3)]
    said(capsys, "recrawl", site.store)
    assert rows(site.store, BODIES) == [(0, 3)]  # nobody asked for them
    keep = ("--set", "storage.keep_bodies=true")
    told = said(capsys, "recrawl", site.store, *keep)
    assert "revisited 3: 3 as before" in " ".join(told.split())
    assert rows(site.store, BODIES) == [(3, 3)]
    with hinterland.Store(site.store) as store:
        assert store.body(f"{site.url}a") == TEXT.format("old", "").encode()
    before = len(site.web.requests())
    said(capsys, "recrawl", site.store)  # and from now on pages are asked for by their validators again
    answers = [each.status for each in site.web.requests()[before:]]
    assert answers == [304 if has_validators else 200] * 3
    assert "No changes found" in said(capsys, "changes", site.store)


def test_a_store_without_pages_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no store" in complaint(capsys, "recrawl", tmp_path / "none.db", exit_code=3)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE x (y)")
    assert "other.db" in complaint(capsys, "recrawl", tmp_path / "other.db", exit_code=3)


def test_what_is_not_known_is_said(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    crawl_site(capsys, site)
    assert "No changes found in the last 7 days." in said(capsys, "changes", site.store)
    assert "'soon' is not a time: write 12h" in complaint(capsys, "changes", site.store, "--since", "soon")
    assert "has no page" in complaint(capsys, "diff", "http://b.test/", "--store", site.store, exit_code=3)
    told = complaint(capsys, "diff", f"{site.url}a", "--store", site.store, exit_code=3)
    assert "no change of this page is known; `recrawl` looks for changes" in told


def test_as_many_earlier_texts_are_kept_as_the_setting_says(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    crawl_site(capsys, site)
    for text in ("second", "third", "fourth"):
        site.pages["a"] = TEXT.format(text, "")
        said(capsys, "recrawl", site.store, "--set", "revisits.keep_texts=2")
    diff = ("diff", f"{site.url}a", "--store", site.store, "--back")
    assert "{+fourth+}" in said(capsys, *diff, 1)
    assert "[-second-] {+fourth+}" in said(capsys, *diff, 2)
    assert "revisits.keep_texts sets how many earlier texts are kept" in complaint(capsys, *diff, 3, exit_code=3)
    assert "only 3 of the changes of this page are known" in complaint(capsys, *diff, 4, exit_code=3)
