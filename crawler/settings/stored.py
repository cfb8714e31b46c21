"""Conversion of the settings of a run to the JSON in the store, without secrets, and back."""

from __future__ import annotations

import json

from hinterland.crawler.settings.rules import SettingsSection
from hinterland.crawler.settings.sections import SECTIONS, Settings


def to_json(settings: Settings) -> str:
    """Return the settings as JSON, with secrets hidden because stores are passed on.

    Sections that must not be in a store are left out.
    """
    values = {
        name: {key: rule.shown(getattr(settings.section(name), key)) for key, rule in kind.rules().items()}
        for name, kind in SECTIONS.items()
        if kind.is_stored
    }
    return json.dumps(values, ensure_ascii=False)


def from_json(text: str) -> Settings:
    """Return the settings from JSON that `to_json` of this or another version wrote.

    A key that this version does not know is ignored; a missing key gets its default. Raises SettingsError if a value
    breaks its rule.
    """
    stored = json.loads(text)
    sections: dict[str, SettingsSection] = {}
    for name, kind in SECTIONS.items():
        values = stored.get(name, {}) if kind.is_stored else {}
        sections[name] = kind(**{key: values[key] for key in kind.rules() if key in values})
    return Settings.from_sections(sections)
