"""What may be a plug-in, and what each kind has to have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class PluginKind:
    """noun: what one is called. group: of the entry points by which packages offer them; the module of that name has
    what they are made of. table: what a plug-in file calls its table of them, name -> plug-in. one_of: what is looked
    at of a plug-in; where it is a class, an object of it. needs: the attributes that has to have.
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

COMMAND: Final = PluginKind("command", "hinterland.commands", "COMMANDS", ("HELP", "EXAMPLES", "add_arguments", "run"))

PAGE: Final = PluginKind("page", "hinterland.pages", "PAGES", ("path", "title", "show"))

KINDS: Final = (POLICY, ESTIMATOR, EXPORTER, HOOK, TOPIC_CLASSIFIER, REVISIT_POLICY, FEATURE)
"""Those that a file may offer, too, not only an installed package."""

INSTALLED_KINDS: Final = (*KINDS, COMMAND, PAGE)
