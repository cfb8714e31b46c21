"""Parses seeds as typed by people."""

from __future__ import annotations

import re
from typing import Final

from hinterland.crawler.urls.canonical import WEB, join

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://|https?:", re.IGNORECASE)
_AUTHORITY: Final = re.compile(r"(\[[^]]*\]|[^:/?#]*)(?::(\d*))?")
_HTTPS_PORTS: Final = ("443", "8443")


def parse_seed(text: str) -> str:
    """Return the WHATWG form of a seed; a seed without a scheme gets the one from `scheme_of_seed`.

    Raises ValueError, which says what to write instead, if the seed is not an http or https URL.
    """
    text, scheme = text.strip(), scheme_of_seed(text)
    url = join(f"{scheme}://{text}" if scheme else text)
    is_mail = scheme and "@" in re.split(r"[/?#]", text, maxsplit=1)[0]
    if url is None or is_mail or not url.startswith(WEB):
        raise ValueError(f"{text!r} is not a URL that can be crawled; write it as https://example.org/")
    return url


def scheme_of_seed(text: str) -> str:
    """Return the scheme assumed for a seed without one, "https" or "http"; "" if the seed has a scheme.

    It is http for hosts that rarely have a certificate: localhost, addresses, names of a single label, and ports other
    than those of https. For all others it is https.
    """
    text = text.strip()
    if _SCHEME.match(text):
        return ""
    authority = _AUTHORITY.match(text)
    assert authority is not None  # it matches anything
    name, port = authority[1].rstrip("."), authority[2]
    if port:
        return "https" if port in _HTTPS_PORTS else "http"
    is_address = name.startswith("[") or name.replace(".", "").isdigit()
    return "http" if is_address or "." not in name or name.lower().endswith(".localhost") else "https"
