"""Whether files of the TDM Reservation Protocol are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TdmFileSettings(SettingsSection):
    """Files in which sites reserve rights to text and data mining; `export --usage train-ai` obeys them."""

    name_in_file: ClassVar[str] = "tdm_files"

    read: bool = setting(
        False,
        "",
        "Whether to request /.well-known/tdmrep.json of each host with a local page. That is one more request to each "
        "host, and few hosts have the file. Header fields and meta elements of the protocol are read in any case.",
    )
    max_age_days: float = setting(
        7.0,
        "days",
        "How long a file that was read is valid. The next crawl or recrawl requests older files again.",
        minimum=0,
        maximum=3_650,
    )
