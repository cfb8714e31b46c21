"""Reads the settings from where they are: the file, the environment and the command line."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

from crawler.apps.cli.exit_codes import CommandError
from crawler.apps.cli.resumed_settings import resumed
from crawler.environment import ROOT
from crawler.settings import EffectiveSettings, from_json, load_settings
from storage.reports import reading

_DEFAULT_FILE = ROOT / "settings.toml"


def settings_of(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """What holds for a command with --settings and --set; says on stderr what is no setting, but may have been meant
    for one. Raises SettingsError and CommandError."""
    effective = read_settings(arguments, options)
    for warning in effective.warnings:
        print(f"hinterland: warning: {warning}", file=sys.stderr)
    return effective


def read_settings(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """The same, with the warnings left to whoever reads them."""
    text, name = _file(arguments.settings)
    return load_settings(text, name, os.environ, arguments.overrides, options or {})


def settings_with_store(given: EffectiveSettings, store: str | None) -> EffectiveSettings:
    """As a crawl resumed with `given` has them; raises NoStore."""
    if store is None:
        return given
    with reading(Path(store)) as reports:
        stored = reports.last_settings()
    return given if stored is None else resumed(given, from_json(stored), store)


def _file(given: str | None) -> tuple[str | None, str]:
    """The text of the settings file, None if there is none, and the name to call it by."""
    path = _DEFAULT_FILE if given is None else Path(given)
    try:
        return path.read_text(encoding="utf-8"), path.name if given is None else given
    except FileNotFoundError:
        if given is None:
            return None, path.name
        raise CommandError(f"there is no settings file {given}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"the settings file {path} cannot be read: {error}") from None
