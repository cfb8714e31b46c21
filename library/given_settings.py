"""Settings that a program passes: a mapping, or what a command has read from files, environment and options."""

from __future__ import annotations

from collections.abc import Mapping

from hinterland.crawler.settings import EffectiveSettings, SettingsError, load_settings
from hinterland.library.errors import HinterlandError

GivenSettings = Mapping[str, object] | EffectiveSettings | None
"""A mapping from "section.key" to a value as in settings.toml or, if it is a string, as after --set."""


def effective_settings(given: GivenSettings, more: Mapping[str, object] | None = None) -> EffectiveSettings:
    """Return the effective settings. No file and no environment variable is read.

    `given` takes precedence over `more`, whose entries are ignored if they are None. Raises HinterlandError for an
    invalid setting.
    """
    if isinstance(given, EffectiveSettings):
        return given
    named = {**(more or {}), **(given or {})}
    texts = [f"{name}={value}" for name, value in named.items() if isinstance(value, str)]
    values = {name: value for name, value in named.items() if not isinstance(value, str)}
    try:
        return load_settings(None, "", {}, texts, values)
    except SettingsError as error:
        raise HinterlandError(str(error)) from error
