"""How pages that match a query are ranked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(SettingsSection):
    """How pages that match a query are ranked; docs/search.md has the formula."""

    name_in_file: ClassVar[str] = "search"

    rank_source: str = setting(
        "web",
        "",
        "Which PageRank to use. web: the estimated PageRank on the whole web; site: PageRank from links within the "
        "domain only; none: no PageRank.",
        choices=("web", "site", "none"),
    )
    rank_weight: float = setting(
        4.0,
        "score",
        "Maximum that PageRank can add to the score of the text. Higher values help to find front pages; from 6 on, "
        "other pages become harder to find. See docs/ranking.md.",
        minimum=0,
    )
    obey_usage: bool = setting(
        True,
        "",
        "Whether to obey what sites say about the use of their pages. `index` then leaves out pages whose sites "
        "disallow search, by Content-Usage (search=n) or Content-Signal (search=no). `mcp` leaves out the text of "
        "pages whose sites disallow input of AI systems (ai-input=no). See docs/usage.md.",
    )
    site_rules: str = setting(
        "",
        "name of a file",
        "File of rules that raise, lower or exclude sites in every query; docs/search.md describes the format.",
        special="empty: none",
    )
