"""Commands that installed packages offer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hinterland.cli.commands import all_commands, parsed
from hinterland.crawler.plugins.kinds import COMMAND
from hinterland.crawler.plugins.loading import own_names
from tests.support.in_process import complaint, said
from tests.support.plug_ins import install
from tests.support.stored_pages import Page, write_store

ROOT = Path(__file__).parents[2]
BROKEN = "HELP = EXAMPLES = 'none'\nimport nothing_of_this_name\n"


def example() -> str:
    """The command that docs/plug-ins.md shows."""
    text = (ROOT / "docs/plug-ins.md").read_text("utf-8")
    return text.partition("<!-- file: longest.py -->\n```python\n")[2].partition("```")[0]


@pytest.fixture
def longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", "hinterland.commands", "longest = longest", package="longest", text=example())
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


@pytest.mark.usefixtures("longest")
def test_the_command_of_a_package_runs_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = write_store(tmp_path / "s.db", [Page(text="one"), Page(text="one and two"), Page(text="two words")])
    lengths = [line.split()[0] for line in said(capsys, "longest", store, "--top", 2).splitlines()]
    assert lengths == ["11", "9"]
    assert "no option --tpo; did you mean --top?" in _mistake(capsys, "longest", "--tpo", "2")


@pytest.mark.usefixtures("longest")
def test_help_lists_it_in_a_group_of_its_own_and_explains_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(["--help"])
    assert "Plug-ins:\n  longest      list the longest pages of a store\n" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        parsed(["longest", "--help"])
    assert "List the longest pages of a store." in capsys.readouterr().out
    assert "longest" in said(capsys, "completion", "bash")
    assert "no command 'longets'; did you mean longest?" in _mistake(capsys, "longets")


def test_a_command_that_cannot_be_imported_says_so_and_does_not_keep_others_from_working(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, "hinterland.commands", "broken = broken_one", package="broken-one", text=BROKEN)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "the command 'broken' of broken-one 1.0 cannot be imported" in complaint(capsys, "broken")
    assert "broken" not in all_commands()
    assert "the command 'broken' of broken-one 1.0 cannot be imported" in _told_of(capsys)


def test_a_command_ends_before_it_begins_without_the_extras_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"{example()}\nNEEDS = ('search',)\n"
    install(tmp_path / "site", "hinterland.commands", "searching = searching", package="searching", text=text)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setitem(sys.modules, "tantivy", None)
    assert "`searching` needs tantivy, which is not installed" in complaint(capsys, "searching", "none.db")


def test_an_extra_that_there_is_not_is_named_to_who_runs_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"{example()}\nNEEDS = ('serch',)\n"
    install(tmp_path, "hinterland.commands", "needy = needy", package="needy", text=text)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert 'there is no extra "serch"; the nearest is "search"' in complaint(capsys, "needy", "none.db")


def test_a_package_cannot_take_the_name_of_a_command_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "crawl = longest\nreport = longest"
    install(tmp_path, "hinterland.commands", lines, package="longest", text=example())
    monkeypatch.syspath_prepend(str(tmp_path))
    assert all_commands()["report"].module == "hinterland.lab.commands.report"
    assert all_commands()["crawl"].module == "hinterland.cli.crawl"
    assert _told_of(capsys).count("is ignored: Hinterland has its own of that name") == 2


def test_the_laboratory_comes_in_by_the_same_door() -> None:
    assert set(own_names(COMMAND)) <= set(all_commands())
    assert {"report", "simulate", "links"} <= set(own_names(COMMAND))


def _mistake(capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    with pytest.raises(SystemExit):
        parsed(list(typed))
    return capsys.readouterr().err


def _told_of(capsys: pytest.CaptureFixture[str]) -> str:
    from hinterland.cli import main

    assert main(["plugins"]) == 2
    return capsys.readouterr().out
