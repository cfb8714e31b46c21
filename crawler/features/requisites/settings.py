"""Which requisites of pages are fetched: what a browser loads to show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting

NONE, SITE, ALL = "none", "site", "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequisiteSettings(SettingsSection):
    """Fetching of what a browser loads to show a page: pictures, styles, scripts, fonts, icons, media and frames.

    Without these files, an archive replays pages without styles and pictures.
    """

    name_in_file: ClassVar[str] = "requisites"

    fetch: str = setting(
        NONE,
        "",
        "Which requisites to fetch. site: those on the site (registrable domain) of the page; all: those of other "
        "sites as well, such as fonts and scripts of a CDN; none: no requisites. Each is fetched only once (see "
        "max_age_days), after the first page that needs it and before further pages of its host.",
        choices=(NONE, SITE, ALL),
        option="--requisites",
        option_help="also fetch what a browser loads to show the pages: pictures, styles, scripts, fonts, frames; site:"
        " those on the page's own site (default: none); see docs/archives.md",
    )
    max_per_page: int = setting(
        1_000,
        "files",
        "Maximum number of files that are fetched because of one page, including those that its style sheets and "
        "frames need. Further files are counted.",
        minimum=1,
        maximum=100_000,
    )
    max_age_days: float = setting(
        30.0,
        "days",
        "How long a fetched file counts as current. An older file is fetched again, once per run, if a page that the "
        "run reads still needs it. So a new version of a page is archived with the styles and pictures of its time.",
        minimum=0,
        maximum=36_500,
    )
    max_mb: int = setting(
        20,
        "megabytes",
        "Maximum size of one file. Larger ones, such as long videos, are left out, with the outcome too_large.",
        minimum=1,
        maximum=2_000,
    )
