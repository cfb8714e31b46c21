"""How pages are found, and what their place among the hits is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import Section, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings(Section):
    """How pages become documents of a search index, and how they are ranked: docs/search.md has the formula.
    Only near_duplicates and canonical_resemblance need `index` again after a change."""

    name_in_file: ClassVar[str] = "search"

    title_boost: float = setting(3.0, "times BM25", "A title is chosen to say what the page is about.", minimum=0)
    headings_boost: float = setting(1.5, "times BM25", "Headings say what its parts are about.", minimum=0)
    anchors_outside_boost: float = setting(
        2.0, "times BM25", "What other hosts call the page in their links to it: nobody's own words.", minimum=0
    )
    anchors_inside_boost: float = setting(1.5, "times BM25", "The same of its own host.", minimum=0)
    url_boost: float = setting(1.0, "times BM25", "The words in the URL.", minimum=0)
    description_boost: float = setting(0.5, "times BM25", "The description, which is written for searchers.", minimum=0)
    body_boost: float = setting(1.0, "times BM25", "The main content: the measure for the others.", minimum=0)
    rest_boost: float = setting(
        0.2, "times BM25", "All visible text, menus included: found there, but little to go by.", minimum=0
    )
    definitions_boost: float = setting(
        3.0,
        "times the rarity",
        "Names of code that it defines: where else should one look for `asyncio.gather`?",
        minimum=0,
    )
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
    rank_half: float = setting(
        1.0, "times the average PageRank", "A page of this PageRank gets half of it.", minimum=0.000001
    )
    rank_exponent: float = setting(0.6, "", "How sharply it rises around there.", minimum=0.01, maximum=10)
    site_rules: str = setting(
        "",
        "name of a file",
        "Rules that raise, lower or leave out sites whatever is asked; docs/search.md has their form.",
        special="empty: none",
    )
    first_candidates: int = setting(
        200,
        "pages",
        "So many of the best by text are looked at first; four times as many until no other page can be better.",
        minimum=1,
        maximum=100_000,
    )
    most_candidates: int = setting(
        20_000, "pages", "Then the answer says that it may not be exact.", minimum=1, maximum=1_000_000
    )
    snippet_characters: int = setting(240, "characters", "Two lines or three.", minimum=40, maximum=2_000)
    near_duplicates: float = setting(
        0.95,
        "resemblance",
        "Pages of one title that share so many of their shingles are one document. Lower values fold pages that"
        " differ in little, but in what matters, such as two entries of a reference.",
        minimum=0.5,
        maximum=2,
        special="2: never",
    )
    canonical_resemblance: float = setting(
        0.3,
        "resemblance",
        "A page that names another as canonical is believed if the two are that much alike: naming the home page"
        " on every page is a common mistake.",
        minimum=0,
        maximum=1,
    )
