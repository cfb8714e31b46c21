"""The settings of a run as the store keeps them, without what nobody else should read."""

from __future__ import annotations

import json
from typing import Any

from hinterland.crawler.settings.sections import SECTIONS, Settings


def to_json(settings: Settings) -> str:
    """Every setting as JSON, what may be secret hidden: a store is made to be passed on."""
    values = {
        name: {key: rule.shown(getattr(getattr(settings, name), key)) for key, rule in kind.rules().items()}
        for name, kind in SECTIONS.items()
    }
    return json.dumps(values, ensure_ascii=False)


def from_json(text: str) -> Settings:
    """The settings that `to_json` wrote, by this version or another.

    A key that this version does not know is left out, one that the text lacks has its default.
    Raises SettingsError if a value breaks its rule.
    """
    stored = json.loads(text)
    sections: dict[str, Any] = {}
    for name, kind in SECTIONS.items():
        values = stored.get(name, {})
        sections[name] = kind(**{key: values[key] for key in kind.rules() if key in values})
    return Settings(**sections)
