"""The Chromium that renders: where it is, and with what it is started."""

from __future__ import annotations

import os
import shutil
from typing import Final

from hinterland.distribution.extras import need

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")

ARGUMENTS: Final = (
    # Not one packet: what it is not given by us, it looks for at a proxy whose name leads nowhere.
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
"""Beside those of Playwright, which switch off what a browser does by itself: updates, pings, first runs."""
NOT_WANTED: Final = ("--disable-popup-blocking",)
"""Those of Playwright that are left out."""


class BrowserUnusable(Exception):
    """Nothing can be rendered here; the message says why, and what to do."""


def find_chromium(given: str) -> str:
    """Its path. given: what the settings say, "" for the usual names. Raises BrowserUnusable, MissingExtra."""
    need("render", by="rendering pages", otherwise="do without --render")
    for name in (given,) if given else NAMES:
        if found := shutil.which(name):
            return found
    if given:
        raise BrowserUnusable(f'rendering.browser = "{given}": there is no such program')
    raise BrowserUnusable(
        f"pages are rendered by a Chromium, and none is installed (looked for {', '.join(NAMES)}): install it, as by"
        " `apt install chromium`, or name it: --set rendering.browser=/path/of/chromium"
    )


def may_be_sandboxed(is_wanted: bool) -> bool:
    """Chromium does not start as root with its sandbox."""
    return is_wanted and os.geteuid() != 0
