"""The target of a request, and URL prefixes with which it can be compared. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_PORTS: Final = {"http": 80, "https": 443}
_URL: Final = re.compile(
    r"(https?)://(\[[0-9a-f:.]+\]|[^/?#@:\[\]\s]+)(?::(\d{1,5}))?(/[^\s?#]*)?(?:\?[^\s#]*)?", re.IGNORECASE
)


class Target(NamedTuple):
    """The scheme, host, port and path to which a request is sent.

    `host` is in lower case; `path` begins with "/" and has no query.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        """Scheme, host and port: "https://a.example:443"."""
        return f"{self.scheme}://{self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """The host, with the port unless it is the default of the scheme."""
        return self.host if self.port == _PORTS[self.scheme] else f"{self.host}:{self.port}"

    @property
    def is_encrypted(self) -> bool:
        """Whether the request is sent by HTTPS."""
        return self.scheme == "https"

    def is_under(self, prefix: Target) -> bool:
        """Return whether the target has the origin of `prefix`, and the path of `prefix` or a path below it."""
        if self[:3] != prefix[:3]:
            return False
        base = prefix.path.rstrip("/")
        return self.path == prefix.path or self.path.startswith(f"{base}/")


def target_of(url: str) -> Target | None:
    """Return the target of a request for a URL; None if the URL is relative, not http(s), or has a user or fragment."""
    match = _URL.fullmatch(url)
    if match is None:
        return None
    scheme, host, port, path = match.groups()
    scheme = scheme.lower()
    return Target(scheme, host.lower(), int(port) if port else _PORTS[scheme], path or "/")


def prefix_of(text: str) -> Target | None:
    """Return the prefix that a text names: a URL, or a host, which stands for all of its paths over HTTPS.

    Returns None if the text names neither.
    """
    return target_of(text if "://" in text else f"https://{text}")
