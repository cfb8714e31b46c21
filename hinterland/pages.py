"""What pages of `serve` are made of; `hinterland.pages` is also the group of the entry points that offer some.

A page is an `ExtraPage`, or anything else with its `path`, its `title` in the menu, and `show`, an aiohttp handler.
`SITE` is where `request.app` keeps the site: its `queries` read the store, and `page` makes an answer of a template.
"""

from hinterland.web.extra_pages import ExtraPage
from hinterland.web.site import SITE, Site

__all__ = ["SITE", "ExtraPage", "Site"]
