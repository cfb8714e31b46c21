"""What the store keeps, and how often the crawl writes to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageSettings(SettingsSection):
    """What the store keeps of a page, and how often the crawl writes to it."""

    name_in_file: ClassVar[str] = "storage"

    keep_text: bool = setting(
        True,
        "",
        "Whether to keep the visible text of each page, compressed, for a later search index.",
    )
    keep_bodies: bool = setting(
        False,
        "",
        "Whether to keep the body of every page as received, compressed. This doubles the size of the store (8 KB a "
        "page) and the time of `index`. `extract`, cached pages and searches for names of code, such as "
        "asyncio.gather, need bodies. If this is off, bodies are kept only while the store is small (keep_bodies_mb). "
        "`recrawl --set storage.keep_bodies=true` adds bodies later.",
    )
    keep_bodies_mb: int = setting(
        250,
        "MB",
        "Size of the store up to which bodies are kept even if keep_bodies is off: enough for about 15,000 pages. So "
        "small crawls keep all that `extract` and cached pages need, and the stores of large crawls stay small. With "
        "0, no bodies are kept.",
        minimum=0,
        maximum=1_000_000,
    )
    keep_headers: tuple[str, ...] = setting(
        (),
        "names of response headers",
        'Response headers to keep with each page, in the table "headers". It has a column for each, such as '
        "cache_control. Read the table as x_headers in SQL, with `export --table headers`, or in `serve` under "
        "Records. Pages that are already stored get them at their next visit.",
        check=texts.check_header_name,
    )
    commit_seconds: float = setting(
        0.2,
        "seconds",
        "How long results are collected before they are written in one transaction; 64 results are written earlier. A "
        "kill loses only the results that are not yet written; the next run fetches their pages again.",
        minimum=0,
        maximum=60,
    )
    warc_file_mb: int = setting(
        1000,
        "MB",
        "Maximum size of a WARC file of `crawl --warc`. 1 GB is customary among web archives.",
        minimum=1,
        maximum=1_000_000,
    )
