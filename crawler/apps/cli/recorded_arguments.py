"""The command line as the store may keep it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from crawler.settings import SECTIONS
from crawler.settings.rules import HIDDEN


def recorded_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments, without values of settings that may be secret: a store is made to be passed on."""
    recorded = []
    follows_set = False
    for argument in arguments:
        if follows_set:
            recorded.append(_without_secret(argument))
        elif argument.startswith("--set="):
            recorded.append(f"--set={_without_secret(argument.removeprefix('--set='))}")
        else:
            recorded.append(argument)
        follows_set = argument == "--set"
    return recorded


def _without_secret(override: str) -> str:
    name, equals, _ = override.partition("=")
    section, _, key = name.strip().partition(".")
    rule = SECTIONS[section].rules().get(key) if section in SECTIONS else None
    return f"{name}={HIDDEN}" if equals and rule is not None and rule.is_secret else override
