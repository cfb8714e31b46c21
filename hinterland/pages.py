"""What a plug-in needs to add a page to `serve`. A package names its page in the entry points `hinterland.pages`.

A page is an `ExtraPage`, or any object with these attributes: `path`; `title`, its entry in the menu; and `show`, an
aiohttp handler. `SITE` is where `request.app` keeps the site: its `queries` read the store, and `page` renders a
template.
"""

from hinterland.web.extra_pages import ExtraPage
from hinterland.web.site import SITE, Site

__all__ = ["SITE", "ExtraPage", "Site"]
