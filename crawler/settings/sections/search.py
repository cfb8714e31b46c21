"""How pages are found, and what their place among the hits is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(SettingsSection):
    """How the pages that answer a query are ranked: docs/search.md has the formula."""

    name_in_file: ClassVar[str] = "search"

    rank_source: str = setting(
        "web",
        "",
        "Whose PageRank counts: that of the whole web, as estimated; that by the links of the domain alone; none.",
        choices=("web", "site", "none"),
    )
    rank_weight: float = setting(
        4.0,
        "score",
        "The most that PageRank can add to the score of the text. More helps to find front pages, and from 6 on costs"
        " known items; see docs/ranking.md.",
        minimum=0,
    )
    site_rules: str = setting(
        "",
        "name of a file",
        "Rules that raise, lower or leave out sites whatever is asked; docs/search.md has their form.",
        special="empty: none",
    )
