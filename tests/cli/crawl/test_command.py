"""What the command line sets, and what the store keeps of it."""

from __future__ import annotations

from hinterland.cli.command_parser import CommandParser
from hinterland.cli.crawl.feature_options import add_feature_options, chosen_by_options
from hinterland.cli.crawl.showing import recorded_arguments


def test_secret_settings_are_not_recorded() -> None:
    command = [
        "crawl",
        "--set",
        "fetching.proxy=http://u:p@h:1",
        "--set=fetching.headers=A=b",
        "--set",
        "policy.seed=1",
    ]
    assert recorded_arguments(command) == [
        *("crawl", "--set", "fetching.proxy=***", "--set=fetching.headers=***", "--set", "policy.seed=1")
    ]


def test_options_of_features_set_their_settings_and_what_they_imply() -> None:
    command = CommandParser()
    add_feature_options(command)
    assert chosen_by_options(command.parse_args(["--check-links"])) == {
        "link_checks.use": True, "audit.page_facts": True, "sitemaps.use": "always"
    }  # fmt: skip
    assert chosen_by_options(command.parse_args(["--requisites", "site"])) == {"requisites.fetch": "site"}
    assert chosen_by_options(command.parse_args([])) == {}
