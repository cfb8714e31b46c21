"""Whether a site's llms.txt is a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmsTxtSettings(SettingsSection):
    """The file in which a site lists its most important pages for language models, often as Markdown."""

    name_in_file: ClassVar[str] = "llms_txt"

    follow: bool = setting(
        False,
        "",
        "Whether /llms.txt of each seed's host is a seed, too, so that the pages it lists are found, among them "
        "Markdown twins of HTML pages (.md). Plain text and Markdown are then read as if `fetching.documents` named "
        "them.",
    )
