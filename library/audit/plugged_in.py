"""Rules of the audit from plug-in files and installed packages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hinterland.crawler.plugins.kinds import AUDIT_RULE
from hinterland.crawler.plugins.loading import PluginError, installed_names, installed_plugin, plugins_of
from hinterland.library.audit.rules import RULES
from hinterland.library.errors import HinterlandError

if TYPE_CHECKING:
    from hinterland.library.audit.rule import Rule


def plugged_in_rules(files: Sequence[str | Path]) -> list[Rule]:
    """Return the rules in these files, and all rules of installed packages.

    Raises HinterlandError for a plug-in that cannot be used, and for a rule whose name is taken.
    """
    try:
        plugins = plugins_of([str(file) for file in files], [AUDIT_RULE])
        found = [*plugins, *(installed_plugin(AUDIT_RULE, name) for name in installed_names(AUDIT_RULE))]
    except PluginError as error:
        raise HinterlandError(f"--plugin: {error}") from error
    taken = {rule.name for rule in RULES}
    rules: list[Rule] = []
    for plugin in found:
        if plugin is None:
            continue
        rule: Rule = plugin.what()
        if rule.name in taken:
            raise HinterlandError(
                f"--plugin: {plugin.origin}: there is a rule {rule.name!r} already; give yours another name"
            )
        taken.add(rule.name)
        rules.append(rule)
    return rules
