"""The effective settings for people, in TOML, and for machines. Pure."""

from __future__ import annotations

from typing import Any

from crawler.settings import SECTIONS, EffectiveSettings, toml, user_agent

_MAX_VALUE = 60


def settings_text(effective: EffectiveSettings) -> str:
    lines = [
        "# Every value with its origin; settings.toml explains them. Sites see us as",
        f"#   {user_agent(effective.settings.identity)}",
    ]
    for section, kind in SECTIONS.items():
        lines += ["", f"[{section}]"]
        values = getattr(effective.settings, section)
        assignments = {
            key: f"{key} = {toml(rule.shown(getattr(values, key)))}" for key, rule in kind.rules().items()
        }
        width = max(len(text) for text in assignments.values() if len(text) <= _MAX_VALUE)
        for key, rule in kind.rules().items():
            origin = effective.origin[f"{section}.{key}"]
            if getattr(values, key) != rule.default:
                origin += f"; the default is {toml(rule.default)}"
            if len(assignments[key]) <= _MAX_VALUE:
                lines.append(f"{assignments[key]:{width}}  # {origin}")
            else:
                lines += [f"# {origin}:", assignments[key]]
    return "\n".join(lines)


def settings_json(effective: EffectiveSettings) -> dict[str, Any]:
    return {
        section: {
            key: {
                "value": rule.shown(getattr(getattr(effective.settings, section), key)),
                "origin": effective.origin[f"{section}.{key}"],
                "default": rule.default,
            }
            for key, rule in kind.rules().items()
        }
        for section, kind in SECTIONS.items()
    }
