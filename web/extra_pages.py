"""Pages of the site that plug-ins add: those of the laboratory, and those of installed packages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from hinterland.crawler.plugins.kinds import PAGE
from hinterland.crawler.plugins.loading import PluginError, installed_names, installed_plugin, own_names

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ExtraPage:
    """A page of the site. path: where it is, such as "/structure". title: its name in the menu. show: what answers."""

    path: str
    title: str
    show: Callable[[web.Request], Awaitable[web.StreamResponse]]

    @property
    def name(self) -> str:
        """What its template calls itself, for the menu."""
        return self.path.strip("/")


def extra_pages() -> Sequence[ExtraPage]:
    """The pages of all plug-ins, those of Hinterland first; one that cannot be used is left out and logged."""
    found = []
    for name in dict.fromkeys((*own_names(PAGE), *installed_names(PAGE))):
        try:
            plugin = installed_plugin(PAGE, name)
        except PluginError as error:
            _LOG.error("a page is left out: %s", error)
            continue
        if plugin is not None:
            found.append(ExtraPage(plugin.what.path, plugin.what.title, plugin.what.show))
    return found
