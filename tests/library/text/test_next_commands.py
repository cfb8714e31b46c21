"""What to do after a crawl."""

from __future__ import annotations

import pytest

from hinterland.crawler.loop.decisions.endings import EndReason
from hinterland.library.text.next_commands import next_commands
from hinterland.storage.values.pages import FailureReport


@pytest.mark.parametrize("reason", EndReason)
def test_every_end_leads_somewhere_and_file_names_are_quoted(reason: EndReason) -> None:
    assert any("'my store.db'" in command for command in next_commands(reason, "my store.db"))


@pytest.mark.parametrize("reason", EndReason)
def test_a_file_that_begins_with_a_hyphen_is_not_taken_for_an_option(reason: EndReason) -> None:
    for command in next_commands(reason, "-s.db"):
        assert " -s.db" not in command
    assert any("./-s.db" in command for command in next_commands(reason, "-s.db"))


def test_a_finished_crawl_leads_to_search_and_browser() -> None:
    commands = " ".join(next_commands(EndReason.EXHAUSTED, "s.db"))
    assert all(f"run.py {name} s.db" in commands for name in ("index", "serve", "status"))


def test_a_recrawl_leads_to_what_has_changed_and_one_that_was_stopped_goes_on() -> None:
    command = ["recrawl", "s.db", "--budget", "5000/day"]
    for reason in (EndReason.EXHAUSTED, EndReason.TIME_UP):
        commands = next_commands(reason, "s.db", command=command, is_recrawl=True)
        assert commands[0].startswith("python3 run.py changes s.db")
        assert commands[1].startswith("python3 run.py index s.db")
    for reason in (EndReason.STOPPED, EndReason.ABORTED, EndReason.NETWORK_DOWN, EndReason.STORE_FAILED):
        [again, *_] = next_commands(reason, "s.db", command=command, is_recrawl=True)
        assert again.startswith("python3 run.py recrawl s.db --budget 5000/day")
    [again, *_] = next_commands(EndReason.STOPPED, "s.db", command=["crawl", "--keep-fresh", "1/day"], is_recrawl=True)
    assert again.startswith("python3 run.py recrawl s.db ")


@pytest.mark.parametrize(
    "options, promise",
    [
        ([], "visits all pages again"),
        (["--once"], "visits all pages again"),
        (["--budget", "5000/day"], "continues"),
        (["--budget=5000/day", "--forever"], "continues"),
    ],
)
def test_only_a_recrawl_with_a_budget_goes_on_where_it_was_stopped(options: list[str], promise: str) -> None:
    command = ["recrawl", "s.db", *options]
    [again, *_] = next_commands(EndReason.STOPPED, "s.db", command=command, is_recrawl=True)
    assert again.partition("   # ")[2] == promise


def test_commands_to_copy_hold_what_was_given_and_no_secret() -> None:
    secrets = ["--set", "fetching.proxy=***", "--set=fetching.headers=***"]
    command = ["crawl", "a.example/my page", *secrets, "--store", "s.db"]
    hints = next_commands(EndReason.NOTHING_FETCHED, "s.db", command=command, seeds=["a.example/my page"])
    assert "python3 run.py explain 'a.example/my page' --store s.db" in hints
    assert "python3 run.py crawl 'a.example/my page' --store s.db   # after fixing the seed or the settings" in hints
    assert next_commands(EndReason.STORE_FAILED, None, command=command) == [
        "python3 run.py crawl 'a.example/my page' --store s.db"
    ]


def test_a_used_up_budget_is_doubled() -> None:
    assert next_commands(EndReason.MAX_PAGES, "s.db", max_pages=100)[0] == (
        "python3 run.py crawl --resume --store s.db --max-pages 200   # or without a budget"
    )


def test_a_crawl_stopped_by_a_private_address_names_the_setting_that_opens_it() -> None:
    details = ("127.0.0.1 is not allowed by fetching.allow_networks", "a.test is at fd00::7, which is not allowed")
    for detail, address in zip(details, ("127.0.0.1", "fd00::7"), strict=True):
        failure = FailureReport("forbidden_address", None, 1, 0, "http://a.test/", detail)
        commands = next_commands(EndReason.NOTHING_FETCHED, "s.db", failures=[failure])
        assert any(f"--set fetching.allow_networks={address} " in command for command in commands)


def test_a_forbidden_address_that_is_not_named_leads_to_no_setting() -> None:
    named, unnamed = (
        FailureReport("forbidden_address", None, 1, 0, "http://a.test/", detail)
        for detail in ("10.0.0.7 is not allowed", "it is at no address")
    )
    commands = next_commands(EndReason.NOTHING_FETCHED, "s.db", failures=[unnamed])
    assert not any("allow_networks" in command for command in commands)
    commands = next_commands(EndReason.NOTHING_FETCHED, "s.db", failures=[unnamed, named])
    assert any("--set fetching.allow_networks=10.0.0.7 " in command for command in commands)
