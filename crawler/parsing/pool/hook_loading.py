"""Loads the hooks of plug-ins in a parser process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hinterland.crawler.parsing.extraction.hooks import Hook
from hinterland.crawler.plugins.kinds import HOOK
from hinterland.crawler.plugins.loading import PluginError, installed_plugin, plugins_of
from hinterland.crawler.plugins.objects import from_bytes


def loaded_hooks(sources: Sequence[str], objects: bytes) -> dict[str, Hook]:
    """Return the hooks by name.

    `sources` holds absolute paths of files and names of installed hooks. For `objects` see plugins/objects.py. Raises
    PluginError.
    """
    files = [source for source in sources if Path(source).is_absolute()]
    plugins = plugins_of(files, [HOOK])
    for name in sources:
        if name not in files:
            plugin = installed_plugin(HOOK, name)
            if plugin is None:
                raise PluginError(f"the hook {name!r} is no longer installed; install its package again")
            plugins.append(plugin)
    found = {plugin.name: plugin.what for plugin in plugins}
    return found | from_bytes(HOOK, objects) if objects else found
