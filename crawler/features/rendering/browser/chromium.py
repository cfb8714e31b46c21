"""Finds the Chromium that renders pages, and says how to start it."""

from __future__ import annotations

import os
import shutil
from typing import Final

from hinterland.distribution.extras import need

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")

ARGUMENTS: Final = (
    # No network access: everything that we do not answer goes to a proxy whose name does not resolve.
    "--proxy-server=http://nowhere.invalid:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name in earlier versions
    "--disable-quic",
    "--no-pings",
    "--disable-sync",
    "--disable-domain-reliability",
    "--deny-permission-prompts",
    "--disable-gpu",
    "--disable-3d-apis",
    "--disable-remote-fonts",
    "--blink-settings=imagesEnabled=false",
    "--mute-audio",
)
"""Arguments in addition to those of Playwright, which already switch off updates, pings and the like."""
NOT_WANTED: Final = ("--disable-popup-blocking",)
"""Arguments of Playwright that are not passed on."""


class BrowserUnusable(Exception):
    """Raised if no page can be rendered. The message says why, and what to do."""


def find_chromium(given: str) -> str:
    """Return the path of Chromium.

    `given` is the program that the settings name; with "" the usual names are tried. Raises BrowserUnusable or
    MissingExtra.
    """
    need("render", by="rendering pages", otherwise="do without --render")
    for name in (given,) if given else NAMES:
        if found := shutil.which(name):
            return found
    if given:
        raise BrowserUnusable(f'rendering.browser = "{given}": there is no such program')
    raise BrowserUnusable(
        f"rendering needs Chromium, which is not installed (looked for {', '.join(NAMES)}): install it, as with"
        " `apt install chromium`, or give its path: --set rendering.browser=/path/of/chromium"
    )


def may_be_sandboxed(is_wanted: bool) -> bool:
    """Return whether to use Chromium's sandbox; never for root, because Chromium would not start."""
    return is_wanted and os.geteuid() != 0
