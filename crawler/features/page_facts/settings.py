"""Whether a crawl keeps what an audit needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings(SettingsSection):
    """What a crawl keeps for `audit`, beyond the pages and their links."""

    name_in_file: ClassVar[str] = "audit"

    page_facts: bool = setting(
        False,
        "",
        "Whether to keep what the markup and the header fields of each page say about images, style sheets, scripts, "
        "anchors, translations, structured data and security, and which pages the sitemaps list. Parsing a page then "
        "takes about a quarter more CPU time, and each page takes 1 to 4 KB more in the store.",
        option="--audit",
    )
