"""Endless URL spaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapSettings(SettingsSection):
    """Endless URL spaces: calendars, sessions, facets. URLs that look endless go last, and not on for ever."""

    name_in_file: ClassVar[str] = "traps"

    enabled: bool = setting(
        True,
        "",
        "Whether pages go behind all others of their host when URLs of their shape keep coming and hardly any of them"
        " says anything new. This loses no page of a real site, and a calendar costs hundreds of requests instead of"
        " all its pages.",
    )
    patience: int = setting(
        500,
        "pages",
        "After this many more pages without anything new, the rest of such a shape is left waiting; a page that does"
        " bring something makes up for three. Shapes of a host that share a parameter, such as a session, are counted"
        " together.",
        minimum=-1,
        special="-1: no limit, they only go last",
    )
    trusted: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "URLs that match one of these are never put behind others.",
        check=texts.check_pattern,
    )
