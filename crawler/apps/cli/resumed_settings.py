"""Which settings a resumed crawl has: those that say what its pages are stay, unless given anew. Pure."""

from __future__ import annotations

from dataclasses import replace

from crawler.settings import SECTIONS, EffectiveSettings, Settings

KEPT_SECTIONS = ("scope", "urls", "policy", "hinterland")
"""Changed half-way, these would make pages appear twice or move the border of the domain."""

KEPT_KEYS = ("fetching.allow_networks", "fetching.addresses", "fetching.proxy")
"""Forgotten, these would make hosts unreachable that were reached; a settings file that names others is obeyed."""


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
        if not _is_explicit(origin[name]) and _value(settings, name) == SECTIONS[section].rules()[key].default:
            values = {key: _value(stored, name)}
            settings = replace(settings, **{section: replace(getattr(settings, section), **values)})
            origin[name] = f"the last run in {store}"
    return EffectiveSettings(settings, origin)


def _value(settings: Settings, name: str) -> object:
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
        if (new := _value(given.settings, name)) != (old := _value(stored, name))
    ]
