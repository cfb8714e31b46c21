"""The command line as people type it: mistyped, and with queries that look like options."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.cli.command_parser import CommandParser
from hinterland.cli.commands import all_commands, all_groups, help_of, parsed, parser, runner_of
from hinterland.cli.exit_codes import exit_code_table
from hinterland.cli.meant_numbers import meant_number
from hinterland.cli.offered_commands import CommandHelp, CommandRunner
from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.crawler.policies import POLICIES
from hinterland.distribution.environment import ROOT
from tests.support.stored_pages import Page, write_store

COMMANDS = all_commands()
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "typed, query",
    [
        (["ferry", "-bus"], ["ferry", "-bus"]),
        (["-bus", "ferry"], ["-bus", "ferry"]),
        (["ferry", "-hotel", '-"early bus"', "-title:news"], ["ferry", "-hotel", '-"early bus"', "-title:news"]),
        (["ferry", "-5"], ["ferry", "-5"]),
        (["git", "commit", "--amend", "-m"], ["git", "commit", "--amend", "-m"]),
        (["--limit", "5", "git", "log", "--pretty=oneline", "--json"], ["git", "log", "--pretty=oneline"]),
        (["ferry", "--", "-bus"], ["ferry", "-bus"]),
        (["--json", "--", "git", "log", "--format=oneline"], ["git", "log", "--format=oneline"]),
        (["ferry", "--json", "timetable", "-bus"], ["ferry", "timetable", "-bus"]),
        (["--limit", "5", "ferry", "--explain", "-bus"], ["ferry", "-bus"]),
    ],
)
def test_words_of_a_query_stand_anywhere_and_begin_with_anything(typed: list[str], query: list[str]) -> None:
    found = parsed(["search", "a.db", *typed])
    assert (found.store, found.query) == ("a.db", query)


def test_options_among_the_words_of_a_query_are_still_options() -> None:
    found = parsed(["search", "a.db", "ferry", "--json", "timetable", "--limit=3"])
    assert (found.query, found.json, found.limit) == (["ferry", "timetable"], True, 3)


@pytest.mark.parametrize(
    "typed, complaint",
    [
        (["search", "a.db", "ferry", "--jsn"], "no option --jsn; did you mean --json?"),
        (["search", "a.db", "ferry", "--limmit=3"], "no option --limmit; did you mean --limit?"),
        (["search", "a.db", "ferry", "--as=csv"], "no option --as; did you mean --format?"),
        (["export", "a.db", "--format=csv", "--to", "x"], "no option --to; did you mean --output?"),
        (["audit", "a.db", "-o", "x"], "no option -o; did you mean --out?"),
        (["search", "a.db", "ferry", "--limit", "-x"], "--limit: expected one argument"),
        (["search", "a.db"], "required: QUERY"),
        (["search", "--store", "a.db", "ferry"], "no option --store; write the store's FILE without it"),
        (["recrawl", "--store=a.db"], "no option --store; write the store's FILE without it"),
        (["plugins", "--store", "a.db"], "no option --store; crawl, explain, demo and others have it"),
        (["links", "a.db", "http://a.test/"], "'a.db' is a file, not a URL; write --store a.db for the store"),
        (["diff", "/tmp/a", "http://a.test/"], "'/tmp/a' is a file, not a URL; write --store /tmp/a for the store"),
        (
            ["crawl", "./seeds.txt"],
            "write --store ./seeds.txt for the store or --seeds ./seeds.txt for a list of seeds",
        ),
        (["hubs", "-ferry", "a.db"], "no option -ferry"),
        (["crawl", "--max-page=5", "http://a.test/"], "no option --max-page; did you mean --max-pages?"),
        (["crawl", "--zzz"], "no option --zzz; see python3 run.py crawl --help"),
        (["crawl", "--forever"], "no option --forever; recrawl has it"),
        (["crawl", "--scope", "domain"], "'domain' is not one of hosts, site, prefix, web; did you mean site?"),
        (["crawl", "--scope", "HOST"], "did you mean hosts?"),
        (["rank", "--format", "tabel"], "--format: 'tabel' is not one of table, csv, json; did you mean table?"),
        (["topic", "shw", "x"], "did you mean show?"),
        (["changes", "--kind", "chnged"], "did you mean changed?"),
        (["completion", "powershell"], "'powershell' is not one of bash, zsh, fish"),
        (
            ["crawl", "http://a.test/", "--max-pages", "ten"],
            "--max-pages: 'ten' is not a whole number; did you mean 10?",
        ),
        (["crawl", "http://a.test/", "--max-pages", "10k"], "did you mean 10000?"),
        *(
            ([*command, "99999999999999999999"], "'99999999999999999999' is out of range: at most")
            for command in (
                ["crawl", "http://a.test/", "--max-pages"],
                ["changes", "a.db", "--limit"],
                ["hubs", "a.db", "x", "--root"],
                ["model", "copying", "--links"],
                ["communities", "a.db", "--fans"],
                ["sample", "a.db", "--steps"],
                ["rank", "a.db", "--top"],
            )
        ),
        (["crawl", "http://a.test/", "--max-pages", "1OO"], "did you mean 100?"),
        (["rank", "a.db", "--top", "20pages"], "did you mean 20?"),
        (["crawl", "http://a.test/", "--until-change", "0,5"], "'0,5' is not a number; did you mean 0.5?"),
        (["crawl", "http://a.test/", "--until-change", "abc"], "'abc' is not a number; see"),
        (["serch", "a.db", "x"], "no command 'serch'; did you mean search?"),
        (["Crawl", "http://a.test/"], "did you mean crawl?"),
        (["https://a.test/"], "to crawl it: python3 run.py crawl https://a.test/"),
        (["demo.db"], "to see what is in it: python3 run.py status demo.db"),
        (["resume"], "did you mean crawl --resume?"),
        (["help"], "did you mean --help?"),
        (["status", "a.db", "b.db"], "unexpected argument 'b.db'"),
        (["serach", "a.db"], "no command 'serach'; did you mean search?"),
        (["qqq"], "no command 'qqq'; see python3 run.py --help"),
        (["--versoin"], "no option --versoin; did you mean --version?"),
        (["simulate", "g.txt", "--budget", "0"], "--budget: must be greater than 0"),
        (["rank", "a.db", "--top", "-1"], "--top: must not be negative"),
        (["search", "a.db", "x", "--limit", "-1"], "--limit: must"),
        (
            ["serve", "a.db", "--base-url", "/crawl"],
            "'/crawl' is not a base URL: write http:// or https://, a host and perhaps folders",
        ),
        (["serve", "a.db", "--port", "65536"], "--port: '65536' is not a port: write a number from 0 to 65535"),
        (["recrawl", "a.db", "--budget", "abc"], "--budget: 'abc' is not a budget: write 5000/day"),
    ],
)
def test_a_mistake_is_named_with_what_was_probably_meant(
    typed: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parsed(typed)
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert complaint in told
    assert re.fullmatch(r"hinterland: .* see python3 run\.py( \w+)? --help\n", told), told


def test_hosts_and_pages_may_have_the_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.test").write_text("a copy of the site")
    assert parsed(["crawl", "a.test"]).seeds == ["a.test"]
    assert parsed(["links", "http://a.test/a.db"]).urls == ["http://a.test/a.db"]
    assert parsed(["explain", "http://a.test/", "--seeds", "/a/seeds.txt"]).url == "http://a.test/"
    assert parsed(["model", "random-crawl", "--pages", "9", "--seeds", "3", "--out", "a.npz"]).seeds == 3


def test_a_file_that_begins_with_a_hyphen_is_answered_with_how_to_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-a.db").touch()
    with pytest.raises(SystemExit):
        parsed(["status", "-a.db"])
    assert "'-a.db' begins with a hyphen, as options do; write ./-a.db;" in capsys.readouterr().err
    assert parsed(["status", "./-a.db"]).store == "./-a.db"


@pytest.mark.parametrize(
    "text, whole, number",
    [
        ("ten", "10", "10"),
        ("1e3", "1000", "1000"),
        ("2.5k", "2500", "2500"),
        ("3M", "3000000", "3000000"),
        ("100pages", "100", "100"),
        ("1O0", "100", "100"),
        ("0,5", "", "0.5"),
        ("1.5", "", "1.5"),
        ("many", "", ""),
        ("", "", ""),
        ("1.2.3", "", ""),
        ("9e999", "", ""),
    ],
)
def test_a_number_is_guessed_where_one_can_be(text: str, whole: str, number: str) -> None:
    assert (meant_number(text, is_whole=True), meant_number(text, is_whole=False)) == (whole, number)


@given(st.text())
def test_any_text_can_be_taken_for_a_number_or_for_none(text: str) -> None:
    whole = meant_number(text, is_whole=True)
    assert not whole or str(int(whole)) == whole


def test_help_has_the_commands_in_eight_groups_with_research_last(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(["--help"])
    text = capsys.readouterr().out
    groups = re.findall(r"^(\w[\w -]*):\n  ", text, re.MULTILINE)
    assert groups[:8] == list(all_groups())
    assert len(all_groups()) == 8
    assert list(all_groups())[-1] == "Research"
    for name, command in COMMANDS.items():
        assert len(re.findall(rf"^  {name} +{re.escape(command.help)}$", text, re.MULTILINE)) == 1


def test_minus_h_is_help_for_a_query_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parsed(["search", "-h"])
    assert end.value.code == 0
    assert "QUERY" in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_arguments_and_a_run(name: str) -> None:
    module = help_of(COMMANDS[name])
    assert f"python3 run.py {name}" in module.EXAMPLES
    pairs = (module.add_arguments, CommandHelp.add_arguments), (runner_of(COMMANDS[name]).run, CommandRunner.run)
    for ours, promised in pairs:
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(promised).parameters)[1:]  # self
    command = CommandParser()
    module.add_arguments(command)


@pytest.mark.parametrize(
    "typed",
    [["--version"], ["--help"], *([name, "--help"] for name in COMMANDS), ["status", "none.db"]],
)
def test_what_computes_nothing_waits_for_no_large_package(typed: list[str]) -> None:
    large = "{'numpy', 'numba', 'aiohttp', 'jinja2', 'rich', 'tantivy', 'tldextract', 'uvloop'}"
    code = (
        "import atexit, sys; from hinterland.cli import main;"
        f"atexit.register(lambda: print(*{large} & set(sys.modules), file=sys.stderr)); main({typed!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == ""


def test_status_of_a_crawl_does_not_wait_for_the_settings(tmp_path: Path) -> None:
    write_store(tmp_path / "s.db", [Page("one")])
    code = (
        f"import sys; from hinterland.cli import main; main(['status', {str(tmp_path / 's.db')!r}]);"
        "sys.exit('hinterland.crawler.settings' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_reads_no_store_does_not_wait_for_the_values_of_its_readers() -> None:
    code = "import sys; import hinterland.cli.commands; sys.exit('hinterland.storage.reading.reader' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_only_the_module_of_the_command_asked_for_is_imported() -> None:
    code = (
        "import sys; from hinterland.cli import commands; commands.parsed(['status']);"
        "print([name for name, each in commands.COMMANDS.items() if each.module in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "['status']\n", done.stderr


@pytest.mark.parametrize(
    "command", ["crawl", "status", "rank", "index", "search", "explain", "settings", "simulate", "evaluate", "demo"]
)
def test_every_command_has_help_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parser().parse_args([command, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert f"python3 run.py {command}" in text.partition("example")[2]


def test_every_reason_to_end_has_an_exit_code_of_its_own_and_help_names_it() -> None:
    codes = [reason.exit_code for reason in EndReason]
    assert len(set(codes)) == len(codes)
    assert not {2, 3, 69, 130} & set(codes)
    assert all(reason.label in exit_code_table() for reason in EndReason)


def test_help_names_every_policy(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["crawl", "--help"])
    text = " ".join(capsys.readouterr().out.split()).replace("- ", "-")  # lines are broken at hyphens, too
    assert ", ".join(POLICIES) in text


def test_run_py_can_be_read_by_old_pythons_up_to_the_set_up() -> None:
    text = (ROOT / "run.py").read_text()
    assert text.index("ensure_environment()") < text.index("from hinterland.cli")
    compile(text, "run.py", "exec", dont_inherit=True)


def test_help_and_status_do_not_wait_for_the_packages_of_a_crawl() -> None:
    code = (
        "import sys; from hinterland.cli import main; main([]); main(['status', 'nowhere.db']);"
        "sys.exit(bool({'aiohttp', 'msgspec', 'rich', 'numpy', 'tldextract'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
