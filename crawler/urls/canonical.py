"""The canonical form of a URL.

ada-url parses and joins URLs by the WHATWG URL Standard. This module adds the choices that the standard leaves to a
crawler.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ada_url import join_url, normalize_url

if TYPE_CHECKING:  # parser processes do without the settings
    from hinterland.crawler.settings import UrlSettings

NOT_FOR_THE_WEB: Final = ""
"""Returned by `LinkResolver` for a valid URL whose scheme is not http or https, such as mailto: or javascript:."""

WEB: Final = ("https://", "http://")

MAX_URL_CHARACTERS: Final = 2000
"""The maximum length of a URL. Longer URLs are nearly always traps that grow with every click. Every browser and server
accepts 2000 characters, so honest sites stay below."""

_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# A triplet ("%41") right after a stray "%" or "%h" stays encoded: decoding it could complete another triplet.
_TRIPLET: Final = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")
_ANY_TRIPLET: Final = re.compile(r"%[0-9A-Fa-f]{2}")


def join(href: str, base: str | None = None) -> str | None:
    """Return the WHATWG form of `href` resolved against `base`, whatever its scheme; None if `href` is not a URL."""
    try:
        return normalize_url(href) if base is None else join_url(base, href)
    except ValueError:
        return None


class Canonicaliser:
    """Brings URLs into the canonical form by which the crawler knows a page.

    Beyond the WHATWG parser (case and IDNA form of the host, default port, dot segments, empty path -> "/"):

    - the fragment is dropped, and so is an empty query ("/a?" becomes "/a");
    - user name and password are dropped: they do not belong in a link store, and the host is the same without them;
    - percent-encoding follows RFC 3986, 6.2.2: upper-case hex digits, unreserved characters decoded;
    - parameters named in `drop_parameters` are dropped from the query and, as ";name=...", from the path. Names match
      without regard to case and may contain "*";
    - with `sort_parameters`, the query is sorted by name without empty parameters; values of one name keep their order.

    A URL whose canonical form is longer than `max_length` characters is refused.
    """

    def __init__(
        self,
        *,
        max_length: int = MAX_URL_CHARACTERS,
        sort_parameters: bool = False,
        drop_parameters: Iterable[str] = (),
    ) -> None:
        """`drop_parameters` are names of query parameters, perhaps with "*". For the other arguments see the class."""
        self.max_length = max_length
        self._sort = sort_parameters
        names = "|".join(re.escape(name).replace(r"\*", "[^=;&/]*") for name in drop_parameters)
        self._dropped = re.compile(f"(?:{names})(?:=.*)?", re.IGNORECASE | re.DOTALL) if names else None
        in_path = rf";(?:{names})(?:=[^;/]*)?(?=[;/]|$)"
        self._dropped_in_path = re.compile(in_path, re.IGNORECASE) if names else None

    @classmethod
    def under(cls, settings: UrlSettings) -> Canonicaliser:
        """Return a canonicaliser that follows the settings."""
        return cls(
            sort_parameters=settings.sort_parameters,
            drop_parameters=settings.drop_parameters,
        )

    def canonical(self, url: str, base: str | None = None) -> str | None:
        """Return the canonical form of `url`, resolved against `base`; None if it cannot be used."""
        return self.canonical_or_reason(url, base) or None

    def canonical_or_reason(self, url: str, base: str | None = None) -> str | None:
        """Return the canonical form; NOT_FOR_THE_WEB for schemes other than http(s), None if invalid or too long."""
        joined = join(url, base)
        return None if joined is None else self.tidied(joined)

    def tidied(self, joined: str) -> str | None:
        """Return what `canonical_or_reason` returns, for an absolute URL that is already in WHATWG form."""
        if not joined.startswith(WEB):
            return NOT_FOR_THE_WEB
        if "#" in joined:
            joined = joined[: joined.index("#")]
        if "@" in joined:
            joined = _without_userinfo(joined)
        if "%" in joined:
            joined = _TRIPLET.sub(_decode_unreserved, joined)
            joined = _ANY_TRIPLET.sub(_upper, joined)
        if self._dropped_in_path is not None and ";" in joined:
            joined = self._without_path_parameters(joined)
        if "?" in joined:
            joined = self.tidy_query(joined)
        return joined if len(joined) <= self.max_length else None

    def _without_path_parameters(self, url: str) -> str:
        assert self._dropped_in_path is not None
        path, mark, query = url.partition("?")
        tidied = self._dropped_in_path.sub("", path)
        if tidied == path:
            return url
        # "/a/..;sid=1/b" has become "/a/../b": let the parser resolve that.
        return join(tidied + mark + query) or url

    def tidy_query(self, url: str) -> str:
        """Return a canonical URL with its query reduced and sorted as configured, or dropped if empty."""
        path, _, query = url.partition("?")
        if not query or (self._dropped is None and not self._sort):
            return url if query else path
        parameters = query.split("&")
        if self._dropped is not None:
            parameters = [each for each in parameters if not self._dropped.fullmatch(each)]
        if self._sort:
            parameters = sorted(filter(None, parameters), key=_parameter_name)
        query = "&".join(parameters)
        return f"{path}?{query}" if query else path


def _decode_unreserved(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return chr(byte) if byte in _UNRESERVED else match[0]


def _upper(match: re.Match[str]) -> str:
    return match[0].upper()


def _parameter_name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _without_userinfo(url: str) -> str:
    start = url.index("://") + 3
    end = url.index("/", start)
    return url[:start] + url[start:end].rpartition("@")[2] + url[end:]
