"""The rules of the audit. To add a rule, add a file to this folder; nothing else is needed."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Final

from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.rule import Rule


def _found() -> Iterator[Rule]:
    for found in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{found.name}")
        for each in vars(module).values():
            if isinstance(each, type) and issubclass(each, Rule) and each.__module__ == module.__name__:
                yield each()


def _place(rule: Rule) -> tuple[int, int, str]:
    return list(Group).index(rule.group), list(Severity).index(rule.severity), rule.name


RULES: Final[Sequence[Rule]] = tuple(sorted(_found(), key=_place))
"""All rules of this folder, in the order of the report: by group, the gravest first, then by name."""
