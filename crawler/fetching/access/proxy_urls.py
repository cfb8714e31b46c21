"""The URLs of proxies. Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from hinterland.crawler.fetching.access.access import Proxy

_URL: Final = re.compile(
    r"(http|socks5|socks5h)://(?:([^/?#@\s:]*)(?::([^/?#@\s]*))?@)?(\[[0-9a-fA-F:.]+\]|[^/?#@\s:\[\]]+)(?::(\d{1,5}))?/?",
    re.IGNORECASE,
)
_PORTS: Final = {"http": 80, "socks5": 1080, "socks5h": 1080}


def proxy_of(url: str) -> Proxy:
    """Return the proxy that a URL describes. Raises ValueError if it is not the URL of a proxy."""
    match = _URL.fullmatch(url)
    if match is None:
        raise ValueError("not the URL of a proxy")
    scheme, user, password, host, port = match.groups()
    scheme = scheme.lower()
    return Proxy(scheme, host, int(port) if port else _PORTS[scheme], unquote(user or ""), unquote(password or ""))
