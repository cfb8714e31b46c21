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
        "Whether /llms.txt of each seed's host is a seed, too. The crawl then finds the pages it lists, among them "
        "Markdown versions of HTML pages (.md), and reads plain text and Markdown as if `fetching.documents` named "
        "them.",
    )
