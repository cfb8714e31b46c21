"""Reads the settings from where they are: the file, the environment, the command line and the last run in a store."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from crawler.apps.cli.exit_codes import CommandError
from crawler.environment import ROOT
from crawler.settings import SECTIONS, EffectiveSettings, Settings, from_json, load_settings
from storage.reports import reading

_DEFAULT_FILE = ROOT / "settings.toml"

KEPT_SECTIONS = ("scope", "urls", "policy", "hinterland")
"""Changed half-way, these would make pages appear twice or move the border of the domain."""

KEPT_KEYS = ("fetching.allow_networks", "fetching.addresses", "fetching.proxy")
"""Forgotten, these would make hosts unreachable that were reached; a settings file that names others is obeyed."""


def settings_of(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """The settings of a command with --settings and --set; warns on stderr of names that may be misspelt settings.
    Raises SettingsError and CommandError."""
    effective = read_settings(arguments, options)
    for warning in effective.warnings:
        print(f"hinterland: warning: {warning}", file=sys.stderr)
    return effective


def read_settings(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """The same, with the warnings left to the caller."""
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


def resumed(given: EffectiveSettings, stored: Settings, store: str) -> EffectiveSettings:
    """`given`, but as the last run had it where this run does not explicitly ask for something else."""
    settings, origin = given.settings, dict(given.origin)
    for section in KEPT_SECTIONS:
        values = {}
        for key in SECTIONS[section].rules():
            name = f"{section}.{key}"
            if not _is_explicit(origin[name]):
                values[key] = getattr(getattr(stored, section), key)
                origin[name] = f"the last run in {store}"
        settings = replace(settings, **{section: replace(getattr(settings, section), **values)})
    for name in KEPT_KEYS:
        section, _, key = name.partition(".")
        if not _is_explicit(origin[name]) and value_of(settings, name) == SECTIONS[section].rules()[key].default:
            values = {key: value_of(stored, name)}
            settings = replace(settings, **{section: replace(getattr(settings, section), **values)})
            origin[name] = f"the last run in {store}"
    return EffectiveSettings(settings, origin)


def value_of(settings: Settings, name: str) -> object:
    """name: "section.key"."""
    section, _, key = name.partition(".")
    return getattr(getattr(settings, section), key)


def _is_explicit(origin: str) -> bool:
    """Whether this run, and not a default or a settings file, asks for the value."""
    return origin.startswith(("--", "environment "))


def changes(given: EffectiveSettings, stored: Settings) -> list[str]:
    """What this run asks for that the last one had otherwise, in words."""
    names = [f"{section}.{key}" for section in KEPT_SECTIONS for key in SECTIONS[section].rules()]
    return [
        f"{name} = {new} ({given.origin[name]}; it was {old})"
        for name in [*names, *KEPT_KEYS]
        if (new := value_of(given.settings, name)) != (old := value_of(stored, name))
    ]
