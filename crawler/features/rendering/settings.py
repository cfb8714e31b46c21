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
        "Which pages to render. auto: pages that look like empty shells; always: all HTML pages; never: none, but "
        "pages that look like shells are counted and named.",
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
        "seconds of elapsed time",
        "Maximum time to wait until a page is complete. After that, the page is read as it is then. If a page stops "
        "responding, its browser is restarted.",
        minimum=1,
        maximum=600,
    )
    quiet_seconds: float = setting(
        0.5,
        "seconds",
        "How long a page must be quiet to count as complete. A page is quiet while nothing is fetched for it and "
        "nothing is added to it.",
        minimum=0.1,
        maximum=60,
    )
    max_requests: int = setting(
        50,
        "requests for each page",
        "Maximum number of scripts and data files that one page may fetch, over all hosts. Afterwards the page's host "
        "rests as if each of these requests had been a visit.",
        minimum=0,
        maximum=10_000,
    )
    sandbox: bool = setting(
        True,
        "",
        "Whether Chromium runs pages in a sandbox. It cannot do so as root, or in a container that forbids it. Set "
        "this to false only there: code that breaks out of a page can then do whatever the crawler may do.",
    )
    browser: str = setting(
        "",
        "path",
        "Path of the Chromium to use. If empty, the first found of chromium, chromium-browser and google-chrome is "
        "used.",
        check=texts.check_path,
    )
