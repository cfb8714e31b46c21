"""What pages of `serve` are built on; `hinterland.pages` is also the entry-point group of plug-in pages.

A page is an `ExtraPage`, or any object with these attributes: `path`; `title`, its entry in the menu; and `show`, an
aiohttp handler. `SITE` is where `request.app` keeps the site: its `queries` read the store, and `page` renders a
template.
"""

from hinterland.web.extra_pages import ExtraPage
from hinterland.web.site import SITE, Site

__all__ = ["SITE", "ExtraPage", "Site"]
