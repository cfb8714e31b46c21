"""The options of `crawl` that features define. Each option sets a key of the feature's settings."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from hinterland.cli.command_parser import CommandParser
from hinterland.crawler.settings import SECTIONS
from hinterland.crawler.settings.rules import SettingRule


def add_feature_options(command: CommandParser) -> None:
    """Add an option for each setting of a feature that has a help text for an option (`option_help`)."""
    for _, rule in _options():
        form: dict[str, Any] = {"choices": rule.choices}
        if isinstance(rule.default, bool):
            form = {"action": "store_true", "default": None}
        command.add_argument(rule.option, dest=_dest(rule), help=rule.option_help, **form)


def chosen_by_options(arguments: Namespace) -> dict[str, object]:
    """Return the values of the settings that were given by options of features, by name of the setting."""
    chosen: dict[str, object] = {}
    for name, rule in _options():
        value = getattr(arguments, _dest(rule))
        if value is not None:
            chosen |= {name: value, **rule.implies}
    return chosen


def _options() -> Iterator[tuple[str, SettingRule]]:
    """Yield the name and rule of each setting for which there is an option."""
    for section in SECTIONS.of_features:
        for key, rule in section.rules().items():
            if rule.option_help:
                yield f"{section.name_in_file}.{key}", rule


def _dest(rule: SettingRule) -> str:
    return rule.option.removeprefix("--").replace("-", "_")
