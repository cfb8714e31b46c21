"""The tools, one file each, and their table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hinterland.web.assistants.tool import AnyTool
from hinterland.web.assistants.tools.changes_since import CHANGES_SINCE
from hinterland.web.assistants.tools.crawl_coverage import CRAWL_COVERAGE
from hinterland.web.assistants.tools.list_hosts import LIST_HOSTS
from hinterland.web.assistants.tools.read_page import READ_PAGE
from hinterland.web.assistants.tools.search import SEARCH
from hinterland.web.assistants.tools.unseen_pages import UNSEEN_PAGES
from hinterland.web.assistants.tools.who_links_here import WHO_LINKS_HERE

TOOLS: Final[Mapping[str, AnyTool]] = {
    "search": SEARCH,
    "read_page": READ_PAGE,
    "who_links_here": WHO_LINKS_HERE,
    "changes_since": CHANGES_SINCE,
    "list_hosts": LIST_HOSTS,
    "crawl_coverage": CRAWL_COVERAGE,
    "unseen_pages": UNSEEN_PAGES,
}
"""The tools by name, in the order in which a model should meet them."""
