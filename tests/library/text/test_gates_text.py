"""The way out where gates stand before pages."""

from __future__ import annotations

import pytest

from hinterland.library.text.gates_text import WAY_OUT, gate_lines
from hinterland.storage.values.hosts import HostReport, HostsReport
from hinterland.storage.values.pages import FailureReport

CHALLENGED = FailureReport("challenged", 403, 2, 2, "https://a.example/", "a challenge page of Anubis (...)")
BROKEN = FailureReport("server_error", 500, 2, 2, "https://a.example/", "status 500")


def hosts(*, failing: str | None = None, lost: str | None = None) -> HostsReport:
    def reports(error: str | None) -> list[HostReport]:
        return [] if error is None else [HostReport("https://a.example", 0, 3, 0.0, 2, error)]

    return HostsReport(1, 1, 0, [], [], reports(failing), reports(lost))


@pytest.mark.parametrize(
    "failures, report",
    [
        ([BROKEN, CHALLENGED], None),
        ([], hosts(failing="challenged: a challenge page of Anubis (status 200, by its markup)")),
        ([], hosts(lost="robots.txt: a consent page of Yahoo (status 302, leads to https://consent.yahoo.com/)")),
    ],
)
def test_a_gate_that_was_met_is_reported(failures: list[FailureReport], report: HostsReport | None) -> None:
    assert list(gate_lines(failures, report)) == ["", *WAY_OUT]


def test_it_is_not_told_where_none_was_met() -> None:
    assert list(gate_lines([], None)) == []
    assert list(gate_lines([BROKEN], hosts(failing="unavailable: status 503", lost="robots.txt: status 500"))) == []


def test_a_line_fits_on_a_screen() -> None:
    assert max(map(len, WAY_OUT)) <= 110
