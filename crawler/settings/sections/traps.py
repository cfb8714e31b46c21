"""Spaces of URLs without end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapSettings(SettingsSection):
    """Calendars, sessions, facets: URLs without end. What looks like that goes last, and not on for ever."""

    name_in_file: ClassVar[str] = "traps"

    enabled: bool = setting(
        True,
        "",
        "Whether pages are put behind all others of their host when URLs of their shape keep coming and hardly one of"
        " them says anything new. No page of a real site is lost by it, and a calendar costs hundreds of requests"
        " instead of all there are.",
    )
    patience: int = setting(
        500,
        "pages",
        "So many more may bring nothing new before the rest of such a shape is left waiting; one that does bring"
        " something makes up for three. Shapes of a host that have a parameter in common, such as a session, spend it"
        " together.",
        minimum=-1,
        special="-1: no limit, they only go last",
    )
    trusted: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "URLs that one of these matches are never put behind others.",
        check=texts.check_pattern,
    )
