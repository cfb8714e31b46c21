"""How pages are parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingSettings(SettingsSection):
    """Pages are parsed in processes of their own, so that a hostile one costs one page, not the crawl."""

    name_in_file: ClassVar[str] = "parsing"

    processes: int = setting(
        0,
        "processes",
        "A core parses about as fast as a core fetches, so few are enough.",
        minimum=0,
        maximum=64,
        special="0: as many as useful",
    )
    timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Of CPU time, or three times as many by the clock: then the parser is stopped and the page is given up. Usual"
        " pages take about a millisecond; 200,000 nested tags, which fit in 1 MB, take over half a minute.",
        minimum=0.1,
        maximum=600,
    )
    max_memory_mb: int = setting(
        384,
        "MiB for each process",
        "A page that needs more is given up. This is the last resort: two or three times max_tree_mb is enough.",
        minimum=128,
    )
    max_tree_mb: int = setting(
        64,
        "MB",
        "The largest tree made of a page, as estimated from its tags. What comes after is not read, and how many tags"
        " that were is noted in the store. A usual page takes a tenth of one; of 160,000 real ones ten"
        " would take more, five of them more than 80, and the richest, with 9.5 MB, about 200.",
        minimum=10,
    )
    max_links: int = setting(
        100_000,
        "links",
        "What is kept of the links of one page; how many more there were is noted in the store. A page of 10 MB has"
        " room for some 600,000; of 160,000 real ones the richest has 18,000.",
        minimum=1,
        maximum=10_000_000,
    )
    compiled: bool = setting(
        True,
        "",
        "Pages are read by a part in C, compiled at the set-up, which takes a fifth less time in all. Without a C"
        " compiler there, or with false, they are read by Python and say the same.",
    )
