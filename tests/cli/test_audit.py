"""`audit`: a report in the form that is asked for, and an exit code by limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinterland.cli.commands import main
from hinterland.cli.exit_codes import FAULTS, OK, USAGE
from tests.library.audit.site import pages
from tests.support.stored_pages import write_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_store(tmp_path_factory.mktemp("audit") / "s.db", pages())


def test_a_broken_link_ends_a_build_with_one_readable_line(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(store), "--fail-on", "broken-link"]) == FAULTS
    told = capsys.readouterr()
    assert told.out.startswith(f"Audit of {store}: ")
    assert told.err == (
        "hinterland: audit: broken-link: 1 fault: pages that are linked and do not exist: http://a.test/1 (status 404),"
        " on http://a.test/0\n"
    )


def test_what_is_not_new_does_not_fail_if_only_new_faults_count(store: Path, tmp_path: Path) -> None:
    report = str(tmp_path / "last.json")
    assert main(["audit", str(store), "--out", report]) == OK
    assert json.loads(Path(report).read_text(encoding="utf-8"))["format"] == "hinterland audit 1"
    assert main(["audit", str(store), "--compare", report, "--fail-on", "notice", "--only-new"]) == OK


@pytest.mark.parametrize(
    "options, complaint",
    [
        (["--rule", "broken-links"], 'the nearest is "broken-link"'),
        (["--out", "report.pdf"], 'no form is known for the ending ".pdf"'),
        (["--only-new"], "--only-new needs --compare FILE"),
    ],
)
def test_a_mistaken_option_is_refused_with_the_way_out(
    store: Path, capsys: pytest.CaptureFixture[str], options: list[str], complaint: str
) -> None:
    assert main(["audit", str(store), *options]) == USAGE
    assert complaint in capsys.readouterr().err


def test_the_rules_are_listed_without_a_store(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--list-rules"]) == OK
    assert "broken-link " in capsys.readouterr().out
