"""How pages are parsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsingSettings(SettingsSection):
    """How pages are parsed: in separate processes, so that a malicious page harms only its own visit."""

    name_in_file: ClassVar[str] = "parsing"

    processes: int = setting(
        0,
        "processes",
        "Number of parser processes. One core parses about as many pages per second as another can fetch, so few are "
        "enough.",
        minimum=0,
        maximum=64,
        special="0: as many as useful",
    )
    timeout_seconds: float = setting(
        10.0,
        "seconds",
        "Maximum CPU time to parse a page; in elapsed time, three times as much is allowed. A parser that takes "
        "longer is stopped, and its page is given up. A typical page takes about a millisecond; 200,000 nested tags, "
        "which fit in 1 MB, take more than half a minute.",
        minimum=0.1,
        maximum=600,
    )
    max_memory_mb: int = setting(
        384,
        "MiB for each process",
        "Maximum memory of a parser; a page that needs more is given up. This is a last resort: two or three times "
        "max_tree_mb is enough.",
        minimum=128,
        maximum=1_000_000,
    )
    max_tree_mb: int = setting(
        64,
        "MB",
        "Maximum size of a page's tree, as estimated from its tags. The rest of a larger page is not read, and the "
        "number of skipped tags is stored. A typical page needs a tenth of a MB. Of 160,000 real pages, ten would "
        "need more than the default, and five of them more than 80 MB. The largest, a page of 9.5 MB, would need "
        "about 200 MB.",
        minimum=10,
        maximum=1_000_000,
    )
    max_links: int = setting(
        100_000,
        "links",
        "Maximum number of links kept for a page; the number of further links is stored. A page of 10 MB has room for "
        "about 600,000 links. Of 160,000 real pages, the one with the most links has 18,000.",
        minimum=1,
        maximum=10_000_000,
    )
    compiled: bool = setting(
        True,
        "",
        "Whether to read pages with an extension written in C and compiled at set-up, which saves a fifth of the "
        "total time. If this is false, or if no C compiler was found at set-up, Python code reads pages, with the "
        "same result.",
    )
