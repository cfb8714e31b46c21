"""The settings of a run as the store keeps them, without secrets."""

from __future__ import annotations

import json
from typing import Any

from hinterland.crawler.settings.sections import SECTIONS, Settings


def to_json(settings: Settings) -> str:
    """Return every setting as JSON, with secrets hidden, since a store is made to be passed on."""
    values = {
        name: {key: rule.shown(getattr(getattr(settings, name), key)) for key, rule in kind.rules().items()}
        for name, kind in SECTIONS.items()
    }
    return json.dumps(values, ensure_ascii=False)


def from_json(text: str) -> Settings:
    """Return the settings that `to_json` wrote, in this version or another.

    A key that this version does not know is ignored; a key that is missing has its default. Raises SettingsError if a
    value breaks its rule.
    """
    stored = json.loads(text)
    sections: dict[str, Any] = {}
    for name, kind in SECTIONS.items():
        values = stored.get(name, {})
        sections[name] = kind(**{key: values[key] for key in kind.rules() if key in values})
    return Settings(**sections)
