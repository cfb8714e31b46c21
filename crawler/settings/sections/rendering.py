"""Which pages are rendered in a browser, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.settings import texts
from hinterland.crawler.settings.rules import SettingsSection, setting

NEVER, AUTO, ALWAYS = "never", "auto", "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderingSettings(SettingsSection):
    """Rendering of pages that have no content until their scripts have run, in a headless Chromium.

    Rendering a page takes about a second and 300 MB, where an ordinary page takes a millisecond.
    """

    name_in_file: ClassVar[str] = "rendering"

    pages: str = setting(
        NEVER,
        "",
        "Which pages to render. auto: those that look like empty shells; always: all HTML pages. With never, shells"
        " are only counted and named.",
        choices=(NEVER, AUTO, ALWAYS),
        option="--render",
    )
    browsers: int = setting(
        1,
        "browsers",
        "Number of browsers. Each renders one page at a time and takes 300 MB or more.",
        minimum=1,
        maximum=64,
    )
    timeout_seconds: float = setting(
        20.0,
        "seconds by the clock",
        "The longest wait for a page, which is then read as it is. A page that stops responding costs its browser,"
        " which is restarted.",
        minimum=1,
        maximum=600,
    )
    quiet_seconds: float = setting(
        0.5,
        "seconds",
        "A page is complete when nothing has been fetched for it and nothing added to it for this long.",
        minimum=0.1,
        maximum=60,
    )
    max_requests: int = setting(
        50,
        "requests for each page",
        "How many scripts and data files one page may fetch, over all hosts. Afterwards its own host rests for as"
        " long as after that many visits.",
        minimum=0,
        maximum=10_000,
    )
    sandbox: bool = setting(
        True,
        "",
        "Whether Chromium locks its pages into a sandbox. It cannot do so as root, or in a container that forbids it."
        " Only there set this to false: code that breaks out of a page then runs where the crawl runs.",
    )
    browser: str = setting(
        "",
        "path",
        "The Chromium to use. Empty: the first found of chromium, chromium-browser and google-chrome.",
        check=texts.check_path,
    )
