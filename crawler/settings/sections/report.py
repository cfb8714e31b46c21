"""What is printed while a crawl runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings(SettingsSection):
    """What is printed while a crawl runs."""

    name_in_file: ClassVar[str] = "report"

    interval_seconds: float = setting(
        5.0,
        "seconds",
        "Time between two lines of progress when the output is not a terminal. The default keeps the log short enough "
        "to read.",
        minimum=0.1,
    )
