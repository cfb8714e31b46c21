"""Whether there is a browser, if the settings ask for one."""

from __future__ import annotations

from hinterland.cli.exit_codes import CommandError
from hinterland.crawler.features.rendering.browser.chromium import BrowserUnusable, find_chromium
from hinterland.crawler.settings import Settings
from hinterland.crawler.settings.sections.rendering import NEVER


def require_browser(settings: Settings) -> None:
    """Raises CommandError."""
    if settings.rendering.pages != NEVER:
        try:
            find_chromium(settings.rendering.browser)
        except BrowserUnusable as error:
            raise CommandError(str(error)) from None
