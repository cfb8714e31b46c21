"""The cookies of one origin (scheme, host and port), read according to RFC 6265, but sent only to that origin. Pure.

A browser sends some cookies to other hosts of a site, too (Domain), and to every port of a host. A crawl does not: a
cookie goes back to the scheme, host and port that set it, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from math import inf
from typing import Final

MOST_COOKIES: Final = 50
"""How many cookies of an origin are kept, as RFC 6265 section 6.1 asks of browsers; the oldest are dropped first."""
MOST_BYTES: Final = 4_096
"""The length of a cookie's name and value together; longer ones are ignored, as browsers do."""
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Cookie:
    """One cookie. `until` is when it expires, in epoch seconds; inf for the end of the session."""

    name: str
    value: str
    path: str
    until: float = inf

    def __repr__(self) -> str:
        """Return the cookie without its value, which may be a secret."""
        return f"Cookie({self.name!r}, path={self.path!r})"

    def is_for(self, path: str) -> bool:
        """Return whether the cookie is sent with requests for a path (RFC 6265 section 5.1.4)."""
        if not path.startswith(self.path):
            return False
        return len(path) == len(self.path) or self.path.endswith("/") or path[len(self.path)] == "/"


def read_cookie(line: str, request_path: str, now: float) -> Cookie | None:
    """Return the cookie in a Set-Cookie field with the value `line`; None if there is none (RFC 6265 section 5.2).

    `request_path` is the path of the request that was answered. A cookie that has already expired is returned, too, so
    that the caller can remove the cookie that it replaces.
    """
    if _CONTROLS.search(line):
        return None
    pair, *attributes = line.split(";")
    name, equals, value = pair.partition("=")
    name, value = name.strip(" \t"), value.strip(" \t")
    if not equals or not name or len(name) + len(value) > MOST_BYTES:
        return None
    path, until, has_max_age = _default_path(request_path), inf, False
    for attribute in attributes:
        key, _, given = attribute.partition("=")
        given = given.strip(" \t")
        match key.strip(" \t").lower():
            case "path":
                path = given if given.startswith("/") else _default_path(request_path)
            case "max-age" if re.fullmatch(r"-?\d{1,18}", given, re.ASCII):
                until, has_max_age = now + int(given) if int(given) > 0 else 0.0, True
            case "expires" if not has_max_age:
                until = _moment(given, until)
    return Cookie(name, value, path, until)


def _default_path(request_path: str) -> str:
    return request_path[: request_path.rfind("/")] or "/"


def _moment(text: str, otherwise: float) -> float:
    try:
        return parsedate_to_datetime(text.replace("-", " ")).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return otherwise


class CookieJar:
    """The cookies of one origin, at most `MOST_COOKIES`. Mutable."""

    def __init__(self, cookies: Iterable[Cookie] = ()) -> None:
        """Start with some cookies."""
        self._cookies: dict[tuple[str, str], Cookie] = {}
        self.dropped = 0
        """The number of cookies dropped because there were too many."""
        for cookie in cookies:
            self._keep(cookie)

    def __len__(self) -> int:
        """Return the number of cookies, expired ones included."""
        return len(self._cookies)

    def __iter__(self) -> Iterator[Cookie]:
        """Iterate over the cookies, the oldest first."""
        return iter(list(self._cookies.values()))

    def read(self, lines: Iterable[str], request_path: str, now: float) -> bool:
        """Add the cookies that an answer sets; return whether the jar has changed."""
        before = dict(self._cookies)
        for line in lines:
            cookie = read_cookie(line, request_path, now)
            if cookie is None:
                continue
            if cookie.until <= now:
                self._cookies.pop((cookie.name, cookie.path), None)
            else:
                self._keep(cookie)
        return before != self._cookies

    def field(self, path: str, now: float) -> str:
        """Return the value of the Cookie field for a request, cookies with longer paths first; "" for no cookie."""
        found = [cookie for cookie in self._cookies.values() if cookie.until > now and cookie.is_for(path)]
        found.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in found)

    def clear(self) -> None:
        """Forget all cookies."""
        self._cookies.clear()

    def _keep(self, cookie: Cookie) -> None:
        key = (cookie.name, cookie.path)
        is_known = key in self._cookies
        self._cookies[key] = cookie
        if not is_known and len(self._cookies) > MOST_COOKIES:
            del self._cookies[next(iter(self._cookies))]
            self.dropped += 1
