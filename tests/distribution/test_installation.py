"""What depends on how the program was installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numba
import pytest

from hinterland.analysis import machine_code
from hinterland.cli import main
from hinterland.cli.settings_sources import settings_files
from hinterland.crawler.parsing.compiled.reader_building import ReaderUnusable, compiled_reader
from hinterland.distribution import installation
from hinterland.distribution.installation import (
    as_called,
    cache_folder,
    code_folder,
    how_to_add,
    import_path,
    settings_file,
)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As if the program were installed, with nothing in the home of the user; returns that."""
    for module in ("distribution.installation", "cli.settings_sources", "analysis.machine_code"):
        monkeypatch.setattr(f"hinterland.{module}.IS_CHECKOUT", False)
    monkeypatch.setattr(installation, "PROGRAM", "hinterland")
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    return home


@pytest.mark.parametrize(
    "environ, platform, config, cache",
    [
        ({"HOME": "/h"}, "linux", "/h/.config/hinterland/settings.toml", "/h/.cache/hinterland"),
        (
            {"HOME": "/h"},
            "darwin",
            "/h/Library/Application Support/hinterland/settings.toml",
            "/h/Library/Caches/hinterland",
        ),
        (
            {"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_CACHE_HOME": "/d"},
            "linux",
            "/c/hinterland/settings.toml",
            "/d/hinterland",
        ),
        (
            {"HOME": "/h", "XDG_CONFIG_HOME": "relative"},
            "linux",
            "/h/.config/hinterland/settings.toml",
            "/h/.cache/hinterland",
        ),
        ({"XDG_CONFIG_HOME": ""}, "linux", None, None),
    ],
)
def test_the_users_files_are_where_the_platform_has_them(
    environ: dict[str, str], platform: str, config: str | None, cache: str | None
) -> None:
    assert settings_file(environ, platform) == (config and Path(config))
    assert cache_folder(environ, platform) == (cache and Path(cache))


def test_in_a_checkout_the_program_is_called_as_it_is_written() -> None:
    assert as_called("python3 run.py crawl") == "python3 run.py crawl"


@pytest.mark.usefixtures("installed")
def test_an_installed_program_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert as_called("python3 run.py crawl") == "hinterland crawl"
    assert how_to_add("plots", ["matplotlib"]) == f"{sys.executable} -m pip install matplotlib"
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "uv-receipt.toml").touch()
    assert how_to_add("plots", ["matplotlib"]) == f"uv pip install --python {sys.executable} matplotlib"
    (tmp_path / "pipx_metadata.json").touch()
    assert how_to_add("plots", ["matplotlib"]) == "pipx inject hinterland matplotlib"


def test_processes_of_ours_find_what_this_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["", "/a", "/b"])
    assert import_path().split(os.pathsep) == [str(code_folder()), "/a", "/b"]
    assert (code_folder() / "run.py").is_file()


# --- settings -----------------------------------------------------------------------------------


def test_the_settings_of_this_folder_take_precedence_over_those_of_the_user(
    installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    users = installed / ".config" / "hinterland" / "settings.toml"
    users.parent.mkdir(parents=True)
    users.write_text('[identity]\ncontact = "mailto:me@a.example"\n[policy]\nseed = 5\n')
    (tmp_path / "settings.toml").write_text("[policy]\nseed = 6\n")
    assert main(["settings"]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said[1:3] == ["# ~/.config/hinterland/settings.toml", "# ./settings.toml, takes precedence"]
    assert 'contact = "mailto:me@a.example" # ~/.config/hinterland/settings.toml; the default is ""' in said
    assert "seed = 6 # ./settings.toml; the default is 0" in said

    assert main(["settings", "--settings", str(users)]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said[1:3] == [f"# {users}", "# Sites see us as"]
    assert f"seed = 5 # {users}; the default is 0" in said


def test_a_mistake_in_a_file_of_settings_names_the_file(
    installed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "settings.toml").write_text("[policy]\nsede = 6\n")
    assert main(["settings"]) == 2
    assert 'hinterland: ./settings.toml: there is no setting "policy.sede"' in capsys.readouterr().err


@pytest.mark.usefixtures("installed")
def test_settings_says_which_files_are_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "#   ~/.config/hinterland/settings.toml (does not exist)"
    assert said[2] == "#   ./settings.toml (does not exist), takes precedence"


def test_without_a_home_the_settings_of_the_folder_are_all(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    assert [name for _, name in settings_files(None)] == ["./settings.toml"]


def test_a_template_is_a_settings_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--template"]) == 0
    assert capsys.readouterr().out == (code_folder() / "settings.toml").read_text(encoding="utf-8")


# --- what is compiled ---------------------------------------------------------------------------


def test_machine_code_of_an_installed_program_is_kept_with_the_user(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    kept = machine_code.dispatcher_of(as_called).stats.cache_path
    assert Path(kept).is_relative_to(installed / ".cache" / "hinterland" / "numba")
    config: Any = numba.config
    assert config.CACHE_DIR == ""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(installed / "theirs"))
    assert Path(machine_code.dispatcher_of(as_called).stats.cache_path).is_relative_to(installed / "theirs")


def test_a_library_in_a_folder_of_another_user_is_not_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    if owner:
        with pytest.raises(ReaderUnusable, match="belongs to another user, so nothing is loaded from it"):
            compiled_reader(tmp_path)
    else:  # what is root's may be loaded by all
        os.chown(tmp_path, 4242, -1)
        with pytest.raises(ReaderUnusable, match="belongs to another user, so nothing is loaded from it"):
            compiled_reader(tmp_path)


def test_without_a_home_there_is_no_library() -> None:
    with pytest.raises(ReaderUnusable, match="neither HOME nor XDG_CACHE_HOME is set"):
        compiled_reader(None)
