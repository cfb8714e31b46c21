"""The settings of a store's last run that are kept for the next run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hinterland.crawler.settings import SECTIONS, EffectiveSettings, Settings, StorageSettings, from_json
from hinterland.storage.reading.opening import reading

KEPT_SECTIONS = tuple(name for name, kind in SECTIONS.items() if kind.is_kept)
"""The names of the sections that are kept; see SettingsSection."""

KEPT_KEYS = (
    *("fetching.allow_networks", "fetching.addresses", "fetching.proxy", "rendering.pages"),
    *(f"{StorageSettings.name_in_file}.{key}" for key in ("keep_text", "keep_bodies", "keep_bodies_mb")),
    "fetching.documents",
    *(f"{section}.{key}" for section in ("identity", "robots", "politeness") for key in SECTIONS[section].rules()),
)
"""Single settings that are kept unless another value is given, be it in a settings file.

Otherwise hosts that were reached could become unreachable, pages could lose their text, and hosts would be treated
differently from before.
"""


def settings_with_store(given: EffectiveSettings, store: str | None) -> EffectiveSettings:
    """Return the settings that `crawl --resume` would have. Raises NoStore."""
    if store is None:
        return given
    with reading(Path(store)) as reports:
        stored = reports.runs.last_settings()
    return given if stored is None else resumed(given, from_json(stored), store)


def resumed(given: EffectiveSettings, stored: Settings, store: str) -> EffectiveSettings:
    """Return `given` with the settings that are kept from the last run, unless the user gave other values for this run.

    A settings file overrides KEPT_KEYS, but not KEPT_SECTIONS.
    """
    settings, origin = given.settings, dict(given.origin)
    for section in KEPT_SECTIONS:
        values = {}
        for key in SECTIONS[section].rules():
            name = f"{section}.{key}"
            if not _is_explicit(origin[name]):
                values[key] = getattr(stored.section(section), key)
                origin[name] = f"the last run in {store}"
        settings = settings.with_sections({section: replace(settings.section(section), **values)})
    for name in KEPT_KEYS:
        section, _, key = name.partition(".")
        if not _is_explicit(origin[name]) and settings.value(name) == SECTIONS[section].rules()[key].default:
            values = {key: stored.value(name)}
            settings = settings.with_sections({section: replace(settings.section(section), **values)})
            origin[name] = f"the last run in {store}"
    return EffectiveSettings(settings, origin)


def _is_explicit(origin: str) -> bool:
    """Return whether a value was given for this run. A default or a value in a settings file was not."""
    return origin.startswith(("--", "environment "))


def changes(given: EffectiveSettings, stored: Settings) -> list[str]:
    """Return sentences that say how the settings differ from the settings of the last run."""
    names = [f"{section}.{key}" for section in KEPT_SECTIONS for key in SECTIONS[section].rules()]
    return [
        f"{name} = {new} ({given.origin[name]}; it was {old})"
        for name in [*names, *KEPT_KEYS]
        if (new := given.settings.value(name)) != (old := stored.value(name))
    ]
