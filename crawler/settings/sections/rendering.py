"""Which pages a browser is asked for, and what that may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting

NEVER, AUTO, ALWAYS = "never", "auto", "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderingSettings(SettingsSection):
    """Pages that say nothing until their scripts have run can be read as a headless Chromium shows them. It takes
    about a second and some 300 MB, where a usual page takes a millisecond.
    """

    name_in_file: ClassVar[str] = "rendering"

    pages: str = setting(
        NEVER,
        "",
        "Which pages are rendered: with auto those that look like shells, with always all HTML. With never, shells are"
        " counted and named.",
        choices=(NEVER, AUTO, ALWAYS),
        option="--render",
    )
    browsers: int = setting(
        1,
        "browsers",
        "Each renders one page at a time, and takes 300 MB or more.",
        minimum=1,
        maximum=64,
    )
    timeout_seconds: float = setting(
        20.0,
        "seconds by the clock",
        "The longest a page is waited for; then it is read as it stands. One that stops answering costs its browser,"
        " which is started anew.",
        minimum=1,
        maximum=600,
    )
    quiet_seconds: float = setting(
        0.5,
        "seconds",
        "A page is done when nothing was fetched for it and nothing was added to it for so long.",
        minimum=0.1,
        maximum=60,
    )
    max_requests: int = setting(
        50,
        "requests for each page",
        "Scripts and data that one page may fetch, of all hosts together. Its own host rests afterwards as long as for"
        " as many visits.",
        minimum=0,
        maximum=10_000,
    )
    sandbox: bool = setting(
        True,
        "",
        "Chromium locks its pages up. It cannot as root, and in a container that forbids it; only there set this to"
        " false: what breaks out of a page is then where the crawl is.",
    )
    browser: str = setting(
        "",
        "path",
        "The Chromium to use; empty: the first of chromium, chromium-browser, google-chrome that is found.",
        check=texts.check_path,
    )
