"""How endless URL spaces are recognised and limited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class TrapSettings(SettingsSection):
    """Endless URLs, such as those of calendars and session ids. They are visited last, up to a limit."""

    name_in_file: ClassVar[str] = "traps"

    enabled: bool = setting(
        True,
        "",
        "Whether to queue pages behind all others of their host if new URLs of their shape keep appearing and hardly "
        "any of these pages has new content. No page of a real site is lost, and a calendar costs hundreds of "
        "requests, not one for each of its pages.",
    )
    patience: int = setting(
        500,
        "pages",
        "Number of further pages without new content after which the remaining URLs of such a shape are left waiting. "
        "A page that does have new content offsets three without. Shapes of a host that share a parameter, such as a "
        "session, are counted together.",
        minimum=-1,
        special="-1: no limit, they only go last",
    )
    trusted: tuple[str, ...] = setting(
        (),
        "regular expressions",
        "Regular expressions. URLs that match one of them are never queued behind others.",
        check=texts.check_pattern,
    )
