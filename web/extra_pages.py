"""Pages that plug-ins add to the site: pages of the laboratory and pages of installed packages."""

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
    """A page that a plug-in adds to the site.

    `path` is its address, such as "/structure", `title` its name in the menu, and `show` its handler.
    """

    path: str
    title: str
    show: Callable[[web.Request], Awaitable[web.StreamResponse]]

    @property
    def name(self) -> str:
        """The name by which the page's template tells the menu that this is the current page."""
        return self.path.strip("/")


def extra_pages() -> Sequence[ExtraPage]:
    """Return the pages of all plug-ins, Hinterland's own first.

    A page that cannot be loaded is skipped and logged.
    """
    found = []
    for name in dict.fromkeys((*own_names(PAGE), *installed_names(PAGE))):
        try:
            plugin = installed_plugin(PAGE, name)
        except PluginError as error:
            _LOG.error("skipped a page: %s", error)
            continue
        if plugin is not None:
            found.append(ExtraPage(plugin.what.path, plugin.what.title, plugin.what.show))
    return found
