"""The base of pages of `serve` in plug-ins; `hinterland.pages` is also their entry-point group.

A page is an `ExtraPage`, or any object with these attributes: `path`; `title`, its entry in the menu; and `show`, an
aiohttp handler. `SITE` is where `request.app` keeps the site: its `queries` read the store, and `page` renders a
template.
"""

from hinterland.web.extra_pages import ExtraPage
from hinterland.web.site import SITE, Site

__all__ = ["SITE", "ExtraPage", "Site"]
