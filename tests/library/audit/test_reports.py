"""Every form of a report says the same, and lets nothing from the web out of its place."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from hinterland.library.audit.finding import AuditReport, State
from hinterland.library.audit.kinds import Severity
from hinterland.library.audit.reports.csv_report import csv_pieces
from hinterland.library.audit.reports.html_report import html_report
from hinterland.library.audit.reports.json_report import json_report
from hinterland.library.audit.reports.junit import junit_report
from hinterland.library.audit.reports.markdown import markdown_lines
from hinterland.library.audit.reports.sarif import sarif_report
from hinterland.library.audit.reports.terminal import terminal_lines
from hinterland.library.audit.thresholds import Threshold, exceeded, threshold
from hinterland.library.errors import HinterlandError
from hinterland.library.text.wording import json_text
from tests.library.audit.site import ALONE, COPY, FRONT, LAST, by_rule, headings, pages, report_of
from tests.support.stored_pages import Link

HOSTILE = 'x"><script>alert(1)</script>\u202e\x1b[31m|]('


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audit") / "s.db"


@pytest.fixture(scope="module")
def report(store: Path) -> AuditReport:
    site = pages()
    hostile = [Link(link.target, HOSTILE) for link in site[FRONT].links]
    site[FRONT] = replace(site[FRONT], title=HOSTILE, links=hostile)
    site[LAST] = replace(site[LAST], title=HOSTILE)
    return report_of(store, site)


class Tags(HTMLParser):
    def __init__(self, markup: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.ids: list[str] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]


def test_the_page_has_no_script_and_nothing_from_elsewhere(report: AuditReport) -> None:
    page = html_report(report)
    tags = Tags(page)
    assert not {"script", "img", "link", "iframe", "object"} & set(tags.names)
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert len(tags.ids) == len(set(tags.ids))
    assert not re.search(r"\b(?:src|url)\s*[=(]", page)


def test_every_finding_is_in_every_form(report: AuditReport, store: Path) -> None:
    names = {finding.rule.name for finding in report.found()}
    rows = list(csv.DictReader("".join(csv_pieces(report, store)).splitlines()))
    terminal, markdown = "\n".join(terminal_lines(report)), "\n".join(markdown_lines(report))
    results = sarif_report(report, "1.0")["runs"][0]["results"]
    assert {row["rule"] for row in rows} == names
    assert {result["ruleId"] for result in results} == names
    assert all(f"[{name}]" in terminal and f"`{name}`" in markdown for name in names)
    assert all(f'id="{name}"' in html_report(report) for name in names)
    assert {each["rule"] for each in json_report(report)["findings"] if each["state"] == "found"} == names


def test_texts_from_the_web_cannot_steer_a_terminal_nor_become_markup(report: AuditReport) -> None:
    assert "\x1b" not in "".join(terminal_lines(report))
    assert not re.search(r"(?<!\\)<", "".join(markdown_lines(report)))
    assert "<script" not in html_report(report)


def test_a_table_has_a_row_for_each_page_that_causes_a_fault(report: AuditReport, store: Path) -> None:
    rows = list(csv.DictReader("".join(csv_pieces(report, store)).splitlines()))
    broken = [row for row in rows if row["rule"] == "broken-link"]
    assert [(row["url"], row["causing_pages"], row["cause"]) for row in broken] == [
        ("http://a.test/1", "1", "http://a.test/0")
    ]
    assert [row["cause"] for row in rows if row["rule"] == "title-missing"] == [""]


def test_the_json_report_is_json_and_says_what_was_not_said(report: AuditReport) -> None:
    told = json.loads(json.dumps(json_report(report)))
    assert told["format"] == "hinterland audit 1"
    assert told["coverage"]["refused"] == 1
    assert all(each["state"] in set(State) for each in told["findings"])


def test_a_build_server_reads_a_test_for_each_rule(report: AuditReport) -> None:
    root = ET.fromstring(junit_report(report, frozenset({"broken-link"})))
    cases = root.findall(".//testcase")
    assert len(cases) == len(report.findings)
    assert [case.get("name") for case in cases if case.find("failure") is not None] == ["broken-link"]


def test_sarif_names_the_page_with_the_fault_and_the_rule(report: AuditReport) -> None:
    [run] = sarif_report(report, "1.0")["runs"]
    result = next(each for each in run["results"] if each["ruleId"] == "broken-link")
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "broken-link"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "http://a.test/0"


class TestThresholds:
    @pytest.mark.parametrize(
        "given, failing",
        [
            ("broken-link", ["broken-link"]),
            ("broken-link=1", []),
            ("title-duplicate=1", ["title-duplicate"]),
            ("heavy-page", []),
        ],
    )
    def test_a_rule_fails_with_more_faults_than_allowed(
        self, report: AuditReport, given: str, failing: list[str]
    ) -> None:
        told = threshold(given, list(by_rule(report)))
        assert [each.rule for each in exceeded(report, [told], only_new=False)] == failing

    def test_a_severity_stands_for_the_graver_ones_too(self, report: AuditReport) -> None:
        failing = {each.rule for each in exceeded(report, [Threshold("warning")], only_new=False)}
        assert {"broken-link", "redirect-chain"} <= failing
        assert "single-inlink" not in failing

    def test_the_limit_of_a_rule_goes_before_that_of_its_severity(self, report: AuditReport) -> None:
        told = [Threshold("error"), Threshold("broken-link", 5)]
        assert "broken-link" not in {each.rule for each in exceeded(report, told, only_new=False)}

    def test_the_line_names_the_fault_and_where_it_is(self, report: AuditReport) -> None:
        [failing] = exceeded(report, [Threshold("broken-link")], only_new=False)
        assert failing.line == (
            "broken-link: 1 fault: pages that are linked and do not exist: http://a.test/1 (status 404),"
            " on http://a.test/0"
        )

    def test_a_rule_that_was_named_and_cannot_be_judged_fails(self, tmp_path: Path) -> None:
        site = [replace(page, state="waiting") if number == COPY else page for number, page in enumerate(pages())]
        [failing] = exceeded(report_of(tmp_path / "s.db", site), [Threshold("orphan")], only_new=False)
        assert failing.line == "orphan: cannot be said yet, 1 page waits"

    @pytest.mark.parametrize("given", ["brokenlink", "error=x"])
    def test_a_mistyped_limit_is_refused(self, report: AuditReport, given: str) -> None:
        with pytest.raises(HinterlandError):
            threshold(given, list(by_rule(report)))


def test_a_report_on_several_hosts_counts_the_faults_of_each(tmp_path: Path) -> None:
    site = [replace(page, host=1) if number == COPY else page for number, page in enumerate(pages())]
    told = report_of(tmp_path / "s.db", site)
    counts = told.counts_by_host()
    faults = {severity: sum(each[severity] for each in counts.values()) for severity in told.counts()}
    assert faults == told.counts()
    assert told.pages_of_hosts["http://b.test"] == 1
    assert counts["http://b.test"][Severity.ERROR] == 2  # no title, and a canonical page that is gone
    line = "  http://b.test: 1 page, 2 errors"
    assert any(each.startswith(line) for each in terminal_lines(told))
    assert "<h2>By host</h2>" in html_report(told)
    assert {each["host"] for each in json_report(told)["by_host"]} == set(counts)


def test_what_was_found_before_and_is_gone_is_listed_for_people(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.json"
    earlier.write_text(json_text(json_report(report_of(tmp_path / "first.db", pages()))), encoding="utf-8")
    site = [replace(page, headings=headings(1)) if number == ALONE else page for number, page in enumerate(pages())]
    now = report_of(tmp_path / "s.db", site, compare_with=earlier)
    line = "Pages with several main headings (h1): 1 mended"
    for told in ("\n".join(terminal_lines(now)), html_report(now), "\n".join(markdown_lines(now)).replace("\\", "")):
        assert line in told
