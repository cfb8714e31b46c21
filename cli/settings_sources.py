"""Reads the settings from their sources: files, the environment and the command line."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from hinterland.crawler.settings import EffectiveSettings, load_settings
from hinterland.distribution.installation import IS_CHECKOUT, code_folder, settings_file
from hinterland.library.errors import HinterlandError

_NAME = "settings.toml"


def settings_of(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """Return the settings of a command with --settings and --set.

    Warns on stderr about names that may be misspelt settings. Raises SettingsError and HinterlandError.
    """
    effective = read_settings(arguments, options)
    for warning in effective.warnings:
        print(f"hinterland: warning: {warning}", file=sys.stderr)
    return effective


def read_settings(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """Return the settings of a command with --settings and --set. Warnings about them are not printed."""
    *beneath, (text, name) = [
        (text, name) for path, name in settings_files(arguments.settings) if (text := _text(path)) is not None
    ] or [("", "settings.toml")]
    return load_settings(text, name, os.environ, arguments.overrides, options or {}, beneath)


def settings_files(given: str | None) -> list[tuple[Path, str]]:
    """Return the settings files to read and their names in messages, in ascending order of precedence.

    `given` is the value of --settings; that file must exist, and is then the only one. Raises HinterlandError.
    """
    if given is not None:
        if not Path(given).exists():
            raise HinterlandError(f"there is no settings file {given}")
        return [(Path(given), given)]
    if IS_CHECKOUT:
        return [(code_folder() / _NAME, _NAME)]
    users = settings_file(os.environ)
    home = os.environ.get("HOME", "")
    shown = str(users).replace(home + os.sep, "~/", 1) if home else str(users)
    return [*([] if users is None else [(users, shown)]), (Path(_NAME), f"./{_NAME}")]


def _text(path: Path) -> str | None:
    """Return the text of a settings file; None if it does not exist."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise HinterlandError(f"the settings file {path} cannot be read: {error}") from None
