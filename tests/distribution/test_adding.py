"""A command that lacks packages adds them to the .venv of a checkout, and is started again, once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hinterland.distribution import adding, extras
from hinterland.distribution.environment import EXIT_SET_UP_FAILED, Environment, SetUpError
from hinterland.distribution.extras import MissingExtra


class Restarted(Exception):
    """Instead of a process that takes the place of this one."""


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """As if nothing were installed in a .venv of a checkout; files and what is said of them, as they are installed."""
    done: list[tuple[str, str]] = []

    def complete(self: Environment, requirements: Path, what: str = "") -> None:
        done.append((requirements.name, what))

    def restart(self: Environment) -> None:
        raise Restarted

    monkeypatch.setattr(Environment, "complete", complete)
    monkeypatch.setattr(Environment, "restart", restart)
    monkeypatch.setattr(adding, "is_own_environment", lambda: True)
    monkeypatch.setattr(adding, "is_installed", lambda name: False)
    monkeypatch.setattr(adding, "missing_packages", extras.packages_of)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    return done


def test_a_missing_extra_is_named_and_added_with_its_size_and_the_command_restarted(
    installed: list[tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Restarted):
        adding.add_and_start_again(MissingExtra(["rank"], "`rank` needs numba, which is not installed"))
    assert installed == [("requirements-rank.txt", f"numba, {extras.EXTRAS['rank'].megabytes} MB,")]
    assert "`rank` needs numba, which is not installed" in capsys.readouterr().err


def test_what_is_still_missing_afterwards_is_not_added_again(installed: list[tuple[str, str]]) -> None:
    missing = MissingExtra(["rank"], "`rank` needs numba")
    with pytest.raises(Restarted):
        adding.add_and_start_again(missing)
    with pytest.raises(MissingExtra):
        adding.add_and_start_again(missing)
    with pytest.raises(Restarted):  # something else, of which it knew only once it had the first
        adding.add_and_start_again(MissingExtra(["plots"], "a plot needs matplotlib"))
    assert [name for name, _ in installed] == ["requirements-rank.txt", "requirements-plots.txt"]


def test_without_a_network_the_command_ends_and_says_why(
    installed: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def complete(self: Environment, requirements: Path, what: str = "") -> None:
        raise SetUpError("connect and run the same command again", "pip's own words")

    monkeypatch.setattr(Environment, "complete", complete)
    with pytest.raises(SystemExit) as ended:
        adding.add_and_start_again(MissingExtra(["rank"], "`rank` needs numba"))
    assert ended.value.code == EXIT_SET_UP_FAILED
    said = capsys.readouterr().err
    assert "pip's own words" in said
    assert "connect and run the same command again" in said


def test_an_environment_of_the_users_own_is_left_alone(
    installed: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adding, "is_own_environment", lambda: False)
    with pytest.raises(MissingExtra):
        adding.add_and_start_again(MissingExtra(["rank"], "`rank` needs numba"))
    assert not installed


def test_everything_is_installed_from_one_file(installed: list[tuple[str, str]]) -> None:
    adding.add_all()
    [(name, what)] = installed
    assert name == "requirements-all.txt"
    assert f"{extras.ALL_MEGABYTES} MB" in what
