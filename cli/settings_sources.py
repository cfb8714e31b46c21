"""Reads the settings from where they are: the file, the environment, the command line and the last run in a store."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hinterland.cli.exit_codes import CommandError
from hinterland.crawler.settings import SECTIONS, EffectiveSettings, Settings, StorageSettings, from_json, load_settings
from hinterland.distribution.installation import IS_CHECKOUT, code_folder, settings_file
from hinterland.storage.reading.opening import reading

_NAME = "settings.toml"

KEPT_SECTIONS = ("scope", "urls", "policy", "hinterland")
"""Changing these half-way would make pages appear twice or move the border of the domain."""

KEPT_KEYS = (
    *("fetching.allow_networks", "fetching.addresses", "fetching.proxy", "rendering.pages"),
    *(f"{StorageSettings.name_in_file}.{key}" for key in ("keep_text", "keep_bodies", "keep_bodies_mb")),
    "fetching.documents",
    *(f"{section}.{key}" for section in ("identity", "robots", "politeness") for key in SECTIONS[section].rules()),
)
"""Without these, hosts that were reached could not be reached any more, pages that were read would say nothing, and
hosts would be treated otherwise than they were. A settings file that names others wins."""


def settings_of(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """The settings of a command with --settings and --set; warns on stderr of names that may be misspelt settings.
    Raises SettingsError and CommandError."""
    effective = read_settings(arguments, options)
    for warning in effective.warnings:
        print(f"hinterland: warning: {warning}", file=sys.stderr)
    return effective


def read_settings(arguments: Namespace, options: Mapping[str, object] | None = None) -> EffectiveSettings:
    """The same, with the warnings left to the caller."""
    *beneath, (text, name) = [
        (text, name) for path, name in settings_files(arguments.settings) if (text := _text(path)) is not None
    ] or [("", "settings.toml")]
    return load_settings(text, name, os.environ, arguments.overrides, options or {}, beneath)


def settings_with_store(given: EffectiveSettings, store: str | None) -> EffectiveSettings:
    """The settings that `crawl --resume` would have; raises NoStore."""
    if store is None:
        return given
    with reading(Path(store)) as reports:
        stored = reports.runs.last_settings()
    return given if stored is None else resumed(given, from_json(stored), store)


def settings_files(given: str | None) -> list[tuple[Path, str]]:
    """Where settings are looked for, and the name of each for messages; what a later file says goes before.

    given: the one of --settings, which there must be; it is then the only one. Raises CommandError.
    """
    if given is not None:
        if not Path(given).exists():
            raise CommandError(f"there is no settings file {given}")
        return [(Path(given), given)]
    if IS_CHECKOUT:
        return [(code_folder() / _NAME, _NAME)]
    users = settings_file(os.environ)
    home = os.environ.get("HOME", "")
    shown = str(users).replace(home + os.sep, "~/", 1) if home else str(users)
    return [*([] if users is None else [(users, shown)]), (Path(_NAME), f"./{_NAME}")]


def _text(path: Path) -> str | None:
    """None if there is no such file."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"the settings file {path} cannot be read: {error}") from None


def resumed(given: EffectiveSettings, stored: Settings, store: str) -> EffectiveSettings:
    """`given`, with the values of the last run where nothing else was given for this run."""
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
        if not _is_explicit(origin[name]) and settings.value(name) == SECTIONS[section].rules()[key].default:
            values = {key: stored.value(name)}
            settings = replace(settings, **{section: replace(getattr(settings, section), **values)})
            origin[name] = f"the last run in {store}"
    return EffectiveSettings(settings, origin)


def _is_explicit(origin: str) -> bool:
    """Whether the value was given for this run, not by a default or a settings file."""
    return origin.startswith(("--", "environment "))


def changes(given: EffectiveSettings, stored: Settings) -> list[str]:
    """The settings that differ from those of the last run, in words."""
    names = [f"{section}.{key}" for section in KEPT_SECTIONS for key in SECTIONS[section].rules()]
    return [
        f"{name} = {new} ({given.origin[name]}; it was {old})"
        for name in [*names, *KEPT_KEYS]
        if (new := given.settings.value(name)) != (old := stored.value(name))
    ]
