"""How pages are parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingSettings(SettingsSection):
    """How pages are parsed: in separate processes, so that a hostile page costs one page and not the crawl."""

    name_in_file: ClassVar[str] = "parsing"

    processes: int = setting(
        0,
        "processes",
        "Number of parser processes. A core parses about as fast as a core fetches, so few are enough.",
        minimum=0,
        maximum=64,
        special="0: as many as useful",
    )
    timeout_seconds: float = setting(
        10.0,
        "seconds",
        "CPU time that a page may take, or three times as much by the clock. Then its parser is stopped and the page"
        " is given up. An ordinary page takes about a millisecond; 200,000 nested tags, which fit in 1 MB, take more"
        " than half a minute.",
        minimum=0.1,
        maximum=600,
    )
    max_memory_mb: int = setting(
        384,
        "MiB for each process",
        "A page that needs more is given up. This is a last resort: two or three times max_tree_mb is enough.",
        minimum=128,
    )
    max_tree_mb: int = setting(
        64,
        "MB",
        "The largest tree built of a page, as estimated from its tags. The rest of the page is not read, and the"
        " store notes how many tags were left out. An ordinary page takes a tenth of a MB. Of 160,000 real pages ten"
        " would take more than the default, five of them more than 80, and the largest, a page of 9.5 MB, about 200.",
        minimum=10,
    )
    max_links: int = setting(
        100_000,
        "links",
        "How many links of a page are kept; the store notes how many more there were. A page of 10 MB has room for"
        " about 600,000; of 160,000 real pages the one with the most links has 18,000.",
        minimum=1,
        maximum=10_000_000,
    )
    compiled: bool = setting(
        True,
        "",
        "Read pages with a part written in C, compiled at set-up, which saves a fifth of the total time. Without a C"
        " compiler at set-up, or with false, Python reads them, with the same result.",
    )
