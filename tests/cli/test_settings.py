"""`settings`: values, origins, nothing secret; and errors that say what to write instead."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from hinterland.cli import main


def test_every_value_is_shown_with_its_origin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[fetching]\nmax_redirects = 7\n")
    monkeypatch.setenv("HINTERLAND_POLICY__SEED", "5")
    command = ["settings", "--json", "--settings", str(file), "--set", "politeness.delay_seconds=3"]
    assert main(command) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["fetching"]["max_redirects"] == {"value": 7, "origin": str(file), "default": 10}
    assert shown["policy"]["seed"]["origin"] == "environment HINTERLAND_POLICY__SEED"
    assert shown["politeness"]["delay_seconds"] == {"value": 3.0, "origin": "--set", "default": 1.0}
    assert shown["fetching"]["max_in_flight"]["origin"] == "default"


def test_the_text_is_toml_and_hides_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["settings", "--set", "fetching.proxy=http://me:password@proxy.example:3128"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert tomllib.loads(text)["fetching"]["proxy"] == "http://***@proxy.example:3128"
    assert "password" not in text


def test_an_unknown_setting_is_an_error_that_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--set", "politeness.delay=3"]) == 2
    assert 'the nearest is "politeness.delay_seconds"' in capsys.readouterr().err


def test_a_settings_file_that_is_asked_for_must_be_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--settings", "nowhere.toml"]) == 2
    assert "there is no settings file nowhere.toml" in capsys.readouterr().err


def test_a_variable_that_is_nearly_a_setting_is_warned_of_and_one_of_others_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HINTERLAND_SERVICE_HOST", "10.0.0.7")
    monkeypatch.setenv("HINTERLAND_POLICY_SEED", "5")
    assert main(["settings"]) == 0
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "warning: the environment: HINTERLAND_POLICY_SEED" in said.err
    assert tomllib.loads(said.out)["policy"]["seed"] == 0
