"""Faults of every kind, injected into a clean site, are found by its audit, and nothing else is."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from benchmarks.injected_faults.clean_site import clean_site
from benchmarks.injected_faults.injecting import KINDS, Said, inject
from benchmarks.injected_faults.judging import said_by
from benchmarks.injected_faults.server import SiteServer, certificate_for
from benchmarks.injected_faults.site import FaultySite
from hinterland.library.audit.finding import AuditReport, State
from hinterland.library.audit.kinds import Need
from hinterland.library.audit.rules import RULES
from tests.library.audit.site import by_rule
from tests.support.crawling import crawl

TAKES_SECONDS: Final = ("a slow page",)
LOOKED_FOR: Final = {rule.name for rule in RULES if Need.REQUISITES not in rule.needs}
"""The rules on a site; those on an archive of it have tests of their own."""


class Audited(NamedTuple):
    site: FaultySite
    expected: Said
    said: Said
    report: AuditReport


async def audited_in(folder: Path) -> Audited:
    """A site with a fault of each kind, and its audit."""
    store, dice = folder / "s.db", random.Random(1)
    async with SiteServer() as server:
        site = clean_site(server.home, server.secure, server.outside, 220, dice)
        expected = inject(site, len(KINDS) - len(TAKES_SECONDS), dice, without=TAKES_SECONDS)
        context, certificate = certificate_for(folder, site.certificate_days)
        server.show(site)
        await server.serve(context)
        await crawl(
            {},
            site.seeds,
            store,
            audit={"page_facts": True},
            sitemaps={"use": "always"},
            link_checks={"use": True},
            fetching={"ca_file": str(certificate)},
            politeness={"give_up_after_failures": 1_000},
        )
    return Audited(site, expected, *said_by(store))


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    return asyncio.run(audited_in(tmp_path_factory.mktemp("faults")))


def test_each_injected_fault_is_found_and_nothing_else(audited: Audited) -> None:
    assert audited.said == audited.expected
    found = (State.FOUND, State.NONE)
    assert {each.rule.name for each in audited.report.findings if each.state in found} == LOOKED_FOR


def test_a_fault_of_each_rule_is_injected() -> None:
    site = clean_site("http://a.test", "https://b.test", "http://c.test", 240, random.Random(1))
    rules = {rule for rule, _ in inject(site, len(KINDS), random.Random(1))}
    assert rules == LOOKED_FOR


def test_a_broken_fragment_names_the_page_that_links_there(audited: Audited) -> None:
    finding = by_rule(audited.report)["broken-fragment"]
    for example in finding.examples:
        page, _, fragment = example.url.partition("#")
        linking = [url for url, each in audited.site.pages.items() if {example.url, f"#{fragment}"} & {*each.links}]
        assert [cause.url for cause in example.causes] == linking, page


def test_a_host_without_security_fields_says_on_which_pages(audited: Audited) -> None:
    [example] = by_rule(audited.report)["security-headers"].examples
    without = [url for url, each in audited.site.pages.items() if "X-Content-Type-Options" not in each.fields]
    assert "X-Content-Type-Options on 1 of" in example.note
    assert [cause.url for cause in example.causes] == without


def test_a_host_with_a_late_certificate_says_until_when_it_holds(audited: Audited) -> None:
    [example] = by_rule(audited.report)["certificate-ends"].examples
    assert example.url == audited.site.secure
    assert example.note.startswith("until 20")
