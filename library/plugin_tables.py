"""Registers plug-ins in the tables of policies, estimators and exporters.

All plug-ins of a file are registered at once. An installed plug-in is registered when its name is first used.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from hinterland.crawler.plugins.kinds import (
    AUDIT_RULE,
    ESTIMATOR,
    EXPORTER,
    FEATURE,
    HOOK,
    POLICY,
    REVISIT_POLICY,
    TOPIC_CLASSIFIER,
    PluginKind,
)
from hinterland.crawler.plugins.loading import Plugin, PluginError, installed_names, installed_plugin, plugins_of
from hinterland.library.errors import HinterlandError, require_known

_ORIGINS: Final[dict[tuple[str, str], str]] = {}
"""Where each plug-in in the tables came from, by noun and name."""
_CLASSIFIERS: Final[dict[str, Any]] = {}
_FEATURES: Final[dict[str, Any]] = {}
_AUDIT_RULES: Final[dict[str, Any]] = {}
"""The tables of classifiers, features and rules of the audit hold plug-ins only, none of Hinterland's own."""


def enter_plugins(files: Sequence[str]) -> None:
    """Register the plug-ins in these files. If one cannot be used, raise HinterlandError and register nothing."""
    try:
        plugins = plugins_of(files)
    except PluginError as error:
        raise HinterlandError(f"--plugin: {error}") from error
    for plugin in plugins:
        _refuse_taken(plugin)
    for plugin in plugins:
        _enter(plugin)


def require(kind: PluginKind, name: str, ours: Collection[str] = ()) -> None:
    """Register the installed plug-in with this name, unless it is registered already.

    `ours` are further valid names, which need no plug-in. Raises HinterlandError if no plug-in has this name, or if the
    plug-in cannot be used.
    """
    known = (*_table(kind), *ours)
    if name in known:
        return
    try:
        plugin = installed_plugin(kind, name)
    except PluginError as error:
        raise HinterlandError(str(error)) from error
    if plugin is None:
        require_known(kind.noun, name, [*known, *installed_names(kind)])
    else:
        _enter(plugin)


def entered(kind: PluginKind, files: Sequence[str], names: Collection[str]) -> dict[str, Any]:
    """Return the plug-ins that came from these files or have one of these names, by name."""
    origins = {str(Path(file)) for file in files}  # as plug-ins have it: ./hooks.py is hooks.py
    return {
        name: what for name, what in _table(kind).items() if name in names or _ORIGINS.get((kind.noun, name)) in origins
    }


def plugins_in(command: Sequence[str]) -> list[str]:
    """Return the files that a stored command line gave to --plugin."""
    split = [part for word in command for part in (word.split("=", 1) if word.startswith("--plugin=") else [word])]
    return [value for option, value in pairwise(split) if option == "--plugin"]


def is_known(kind: PluginKind, name: str) -> bool:
    """Return whether a table has an entry of this kind and name, from a plug-in or from Hinterland itself."""
    return name in _table(kind)


def _refuse_taken(plugin: Plugin) -> None:
    noun, name = plugin.kind.noun, plugin.name
    if name in _table(plugin.kind) and _ORIGINS.get((noun, name)) != plugin.origin:
        owner = _ORIGINS.get((noun, name), "Hinterland itself")
        raise HinterlandError(
            f"--plugin: {plugin.origin}: {owner} has a{'n' * (noun[0] in 'aeiou')} {noun} {name!r}; give yours another"
            " name"
        )


def _table(kind: PluginKind) -> dict[str, Any]:
    """Return the table of a kind, name -> entry, after importing its module."""
    if kind is POLICY:
        from hinterland.crawler.policies import POLICIES

        return POLICIES
    if kind is ESTIMATOR:
        from hinterland.analysis.estimates.estimators import ESTIMATORS

        return ESTIMATORS
    if kind is REVISIT_POLICY:
        from hinterland.crawler.features.recrawl.policies import REVISIT_POLICIES

        return REVISIT_POLICIES
    if kind is HOOK:
        from hinterland.crawler.parsing.extraction.hooks import HOOKS

        return HOOKS
    if kind is TOPIC_CLASSIFIER:
        return _CLASSIFIERS
    if kind is FEATURE:
        return _FEATURES
    if kind is AUDIT_RULE:
        return _AUDIT_RULES
    assert kind is EXPORTER
    from hinterland.storage.exports import FORMATS

    return FORMATS


def _enter(plugin: Plugin) -> None:
    if plugin.kind is POLICY:
        from hinterland.crawler.policies import add_policy

        add_policy(plugin.name, plugin.what)
    else:
        _table(plugin.kind)[plugin.name] = plugin.what
    _ORIGINS[plugin.kind.noun, plugin.name] = plugin.origin
