"""The hooks of plug-ins, found again in a parser process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from crawler.parsing.extraction.hooks import Hook
from crawler.plugins.kinds import HOOK
from crawler.plugins.loading import PluginError, installed_plugin, plugins_of


def loaded_hooks(sources: Sequence[str]) -> dict[str, Hook]:
    """By name. sources: files, absolute, and names of installed hooks. Raises PluginError."""
    files = [source for source in sources if Path(source).is_absolute()]
    plugins = plugins_of(files, [HOOK])
    for name in sources:
        if name not in files:
            plugin = installed_plugin(HOOK, name)
            if plugin is None:
                raise PluginError(f"the hook {name!r} is not installed any more")
            plugins.append(plugin)
    return {plugin.name: plugin.what for plugin in plugins}
