"""An audit of a small site finds each fault once, and says nothing that its crawl has not seen."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hinterland.library.audit.auditing import audit
from hinterland.library.audit.finding import AuditReport, State, Trend
from hinterland.library.audit.reports.json_report import json_report
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import json_text
from tests.library.audit.site import (
    ALONE,
    COPY,
    FAILING,
    FRONT,
    GONE,
    GOOD,
    HIDDEN,
    LAST,
    LOOP,
    MOVED,
    REFUSED,
    SHUT,
    TWICE,
    by_rule,
    pages,
    report_of,
    urls,
)
from tests.support.stored_pages import Link, Page, visit_again, write_store

EXPECTED = {
    "broken-link": [GONE],
    "unreachable-link": [FAILING],
    "unchecked-link": [REFUSED],
    "temporary-redirect": [MOVED],
    "redirected-link": [TWICE, LOOP],
    "redirect-chain": [TWICE],
    "redirect-loop": [LOOP],
    "canonical-elsewhere": [COPY],
    "canonical-broken": [COPY],
    "noindex-linked": [HIDDEN],
    "blocked-linked": [SHUT],
    "title-missing": [COPY],
    "title-duplicate": [FRONT, LAST],
    "description-missing": [COPY],
    "description-duplicate": [FRONT, LAST],
    "language-missing": [COPY],
    "h1-missing": [COPY],
    "h1-several": [ALONE],
    "heading-skipped": [ALONE],
    "exact-duplicate": [FRONT, LAST],
    "orphan": [ALONE],
    "single-inlink": [HIDDEN, LAST],
    "dead-end": [COPY],
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> AuditReport:
    return report_of(tmp_path_factory.mktemp("audit") / "s.db", pages())


def test_each_fault_is_found_and_nothing_else(report: AuditReport) -> None:
    found = {finding.rule.name: urls(finding) for finding in report.found()}
    assert found == {name: sorted(f"/{number}" for number in numbers) for name, numbers in EXPECTED.items()}


def test_a_broken_link_names_the_pages_that_lead_there_also_by_redirects(report: AuditReport) -> None:
    [example] = by_rule(report)["broken-link"].examples
    assert example.note == "status 404"
    assert [(cause.url, cause.anchor) for cause in example.causes] == [("http://a.test/0", "to 1")]


def test_the_rank_that_is_lost_is_that_of_a_surfer_who_follows_the_links(report: AuditReport) -> None:
    finding = by_rule(report)["broken-link"]
    assert 0 < finding.weight.site < by_rule(report)["title-duplicate"].weight.site < 1
    assert finding.weight.web is None
    assert finding.examples[0].share == pytest.approx(finding.weight.site)


def test_an_unfinished_crawl_calls_no_page_an_orphan(tmp_path: Path) -> None:
    site = [*pages(), Page(state="waiting", depth=1)]
    finding = by_rule(report_of(tmp_path / "s.db", site))["orphan"]
    assert (finding.state, finding.why) == (State.NOT_YET, "1 page waits")


def test_an_orphan_is_said_with_the_pages_that_were_not_read(report: AuditReport) -> None:
    assert "1 forbidden by robots.txt" in by_rule(report)["orphan"].why


def test_no_cut_of_a_crawl_says_what_the_whole_crawl_does_not_say(tmp_path: Path) -> None:
    dice = random.Random(5)
    site = random_site(dice)
    whole = report_of(tmp_path / "whole.db", site, examples=1_000)
    said = {(finding.rule.name, url) for finding in whole.found() for url in urls(finding)}
    for cut in range(8):
        left = [replace(page, state="waiting") if dice.random() < 0.3 else page for page in site]
        part = report_of(tmp_path / f"{cut}.db", left, examples=1_000)
        assert {(finding.rule.name, url) for finding in part.found() for url in urls(finding)} <= said
        assert by_rule(part)["orphan"].state is State.NOT_YET


def random_site(dice: random.Random) -> list[Page]:
    size = 40
    kinds: list[dict[str, Any]] = [
        {},
        {"title": "Same"},
        {"outcome": "client_error", "status": 404},
        {"outcome": "redirected", "status": 301, "redirect": dice.randrange(size)},
        {"is_noindex": True},
        {"canonical": dice.randrange(size)},
        {"headings": "[]"},
    ]
    pages = [
        replace(
            GOOD,
            title=f"Page {number}",
            description=f"About {number}",
            depth=int(number > 0),
            links=[Link(target) for target in dice.sample(range(size), 3)],
        )
        for number in range(size)
    ]
    return [replace(page, **dice.choice(kinds)) for page in pages]


class TestComparedWithAnEarlierAudit:
    def test_faults_are_new_still_there_mended_or_not_looked_at_again(self, tmp_path: Path) -> None:
        store, earlier = write_store(tmp_path / "s.db", pages()), tmp_path / "earlier.json"
        earlier.write_text(json_text(json_report(audit(store))), encoding="utf-8")
        visit_again(
            store, {COPY: replace(GOOD, title="Page 9", depth=1), HIDDEN: replace(GOOD, title="", links=[Link(FRONT)])}
        )
        now = audit(store, compare_with=earlier)
        missing, several = by_rule(now)["title-missing"], by_rule(now)["h1-several"]
        assert missing.comparison is not None
        assert (missing.comparison.new, missing.comparison.mended, missing.comparison.unseen) == (1, 1, 0)
        assert missing.comparison.mended_examples == [f"http://a.test/{COPY}"]
        assert missing.examples[0].trend is Trend.NEW
        assert several.examples[0].trend is Trend.STILL

    def test_a_page_that_was_not_read_again_is_not_mended(self, tmp_path: Path) -> None:
        earlier = tmp_path / "earlier.json"
        first = report_of(tmp_path / "first.db", pages())
        earlier.write_text(json_text(json_report(first)), encoding="utf-8")
        site = [replace(page, state="waiting") if number == COPY else page for number, page in enumerate(pages())]
        comparison = by_rule(report_of(tmp_path / "s.db", site, compare_with=earlier))["title-missing"].comparison
        assert comparison is not None
        assert (comparison.mended, comparison.unseen) == (0, 1)

    def test_another_file_is_refused_with_its_name(self, tmp_path: Path) -> None:
        other = tmp_path / "other.json"
        other.write_text("{}", encoding="utf-8")
        with pytest.raises(HinterlandError, match=r"other\.json is not a JSON report"):
            report_of(tmp_path / "s.db", pages(), compare_with=other)


def test_an_empty_store_has_no_faults(tmp_path: Path) -> None:
    report = report_of(tmp_path / "s.db", [])
    assert not report.found()
    assert report.coverage.pages == 0
