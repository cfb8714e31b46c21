"""Whether cookies are kept where a site needs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings.rules import SettingsSection, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings(SettingsSection):
    """Cookies that a site needs in order to answer at all."""

    name_in_file: ClassVar[str] = "sessions"

    cookie_loops: bool = setting(
        True,
        "",
        "Whether to send a site's cookies back once it has redirected a page to itself until its cookie comes back. "
        "Nothing else of such a site can be read. All other sites get no cookies, unless `fetching.cookies` is true.",
    )
