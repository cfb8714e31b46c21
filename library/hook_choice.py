"""Hooks that a program passes: objects of its own, and names of installed hooks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hinterland.crawler.parsing.extraction.hooks import Hook
from hinterland.crawler.plugins.kinds import HOOK
from hinterland.library.errors import HinterlandError


def chosen(hooks: Sequence[Hook | str] | Mapping[str, Hook]) -> tuple[dict[str, Hook], list[str]]:
    """Return hook objects, by the names of their tables, and the names of installed hooks. Raises HinterlandError."""
    own: dict[str, Hook] = {}
    installed: list[str] = []
    if isinstance(hooks, str) or not isinstance(hooks, Mapping | Sequence):
        raise HinterlandError(f"hooks must be a list of hooks, not {hooks!r:.100}")
    pairs = hooks.items() if isinstance(hooks, Mapping) else [("", each) for each in hooks]
    for name, what in pairs:
        if isinstance(what, str):
            installed.append(what)
            continue
        hook = _checked(what, name)
        if hook.table in own:
            raise HinterlandError(f"two hooks fill the table {hook.table!r}; give one of them another `table`")
        own[hook.table] = hook
    return own, installed


def _checked(what: Any, name: str) -> Hook:
    """Return a Hook, with the name of its table, made from any object that has the attributes of a hook."""
    lacking = [each for each in HOOK.needs if not hasattr(what, each)]
    if lacking or not callable(what.read):
        reason = f"it has no {' and no '.join(lacking)}" if lacking else "its `read` cannot be called"
        raise HinterlandError(f"{what!r:.100} is not a hook: {reason}; see {HOOK.group}.Hook")
    table = name or getattr(what, "table", "") or _name_of(what)
    return Hook(what.pages, what.fields, what.read, getattr(what, "not_pages", ()), table)


def _name_of(what: Any) -> str:
    """Return the default name of a hook's table.

    It is the name of the hook's function or, if the hook is any other object, of its class in snake case.
    """
    if not isinstance(what, Hook):
        named = what if isinstance(what, type) else type(what)
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", named.__name__).lower()
    name = str(getattr(what.read, "__name__", ""))
    if not name.isidentifier():
        raise HinterlandError(f"{what!r:.100} has no name: give it one, Hook(..., table=NAME)")
    return name
