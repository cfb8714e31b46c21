"""The kinds of plug-ins, and the attributes that plug-ins of each kind must have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class PluginKind:
    """A kind of plug-in.

    `noun` is its name in messages. `group` is the group of entry points under which packages offer it; the module of
    that name exports the base classes and types for such plug-ins. `table` is the name of the dict, name -> plug-in, in
    a plug-in file. `one_of` takes a plug-in and returns the object to check: an instance if the plug-in is a class.
    `needs` are the attributes that this object must have.
    """

    noun: str
    group: str
    table: str
    needs: tuple[str, ...]
    one_of: Callable[[Any], object] = lambda plugin: plugin


POLICY: Final = PluginKind(
    "policy",
    "hinterland.policies",
    "POLICIES",
    ("uses_links", "needs_refresh", "discovered", "fetched", "fetched_all", "begin_refresh"),
    lambda make: make(0),
)
ESTIMATOR: Final = PluginKind("estimator", "hinterland.estimators", "ESTIMATORS", ("estimate",), lambda make: make())
EXPORTER: Final = PluginKind("exporter", "hinterland.exporters", "EXPORTERS", ("suffix", "what", "write"))

HOOK: Final = PluginKind("hook", "hinterland.hooks", "HOOKS", ("pages", "fields", "read"))

TOPIC_CLASSIFIER: Final = PluginKind(
    "topic classifier", "hinterland.topic_classifiers", "TOPIC_CLASSIFIERS", ("relevance",), lambda make: make()
)

REVISIT_POLICY: Final = PluginKind(
    "revisit policy", "hinterland.revisit_policies", "REVISIT_POLICIES", ("waits",), lambda make: make()
)

FEATURE: Final = PluginKind(
    "feature", "hinterland.features", "FEATURES", ("discovered", "visited", "statistics"), lambda make: make()
)

AUDIT_RULE: Final = PluginKind(
    "audit rule", "hinterland.audit_rules", "AUDIT_RULES", ("name", "title", "severity", "faults"), lambda make: make()
)

COMMAND: Final = PluginKind("command", "hinterland.commands", "COMMANDS", ("HELP", "EXAMPLES", "add_arguments", "run"))

PAGE: Final = PluginKind("page", "hinterland.pages", "PAGES", ("path", "title", "show"))

KINDS: Final = (POLICY, ESTIMATOR, EXPORTER, HOOK, TOPIC_CLASSIFIER, REVISIT_POLICY, FEATURE, AUDIT_RULE)
"""Kinds that may be offered by a file as well as by an installed package."""

INSTALLED_KINDS: Final = (*KINDS, COMMAND, PAGE)
