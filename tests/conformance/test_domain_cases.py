"""Registrable domains as the tests of the Public Suffix List have them."""

from __future__ import annotations

from hinterland.crawler.urls.hosts import registrable_domain
from tests.support.shared_data import conformance_cases

CASES = conformance_cases("domain_cases")


def test_every_case_holds() -> None:
    assert len(CASES) > 25
    wrong = [case["id"] for case in CASES if registrable_domain(case["host"]) != case["registrable"]]
    assert wrong == []
