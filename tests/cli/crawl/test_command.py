"""What the store keeps of the command line."""

from __future__ import annotations

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
