"""The cookie jars of a crawl, one for each origin, and which of them are open. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

from hinterland.crawler.features.sessions.cookies import CookieJar
from hinterland.crawler.features.sessions.login import FormLogin
from hinterland.crawler.fetching.access.access import COOKIE, NO_ACCESS, Access, AccessProvider, Asked
from hinterland.crawler.fetching.access.hidden_values import HIDDEN_VALUES

MOST_JARS: Final = 10_000
"""How many origins may have a jar; the one that was used least recently is dropped first."""
MOST_CLOSED: Final = 1_000
"""How many unopened jars a crawl keeps if it sends no cookies by default."""


class CookieJars(AccessProvider):
    """Keeps cookies and sends them back. Mutable.

    A jar is *open* if its cookies are sent. In a crawl with cookies (`keeps_all`), every jar is open. In other crawls,
    a jar only collects cookies. It is opened by `open` if the site turns out not to answer without its cookie. The jar
    of a login is open from the first request on, and its cookies are secrets.
    """

    def __init__(self, *, keeps_all: bool, logins: Sequence[FormLogin] = ()) -> None:
        """Start with empty jars. `logins` are the logins that the crawl makes."""
        self.logins = tuple(logins)
        self._keeps_all = keeps_all
        self._logins = frozenset(login.at.origin for login in logins)
        self._jars: OrderedDict[str, CookieJar] = OrderedDict()
        self._open = set(self._logins)
        self.is_changed = False
        """Whether the cookies of a login have changed since this was last set to False."""

    def __len__(self) -> int:
        """Return the number of jars."""
        return len(self._jars)

    def open(self, origin: str) -> None:
        """Send the cookies of an origin back from now on."""
        self._open.add(origin)

    def is_open(self, origin: str) -> bool:
        """Return whether cookies of an origin are sent."""
        return self._keeps_all or origin in self._open

    def has_any(self, origin: str) -> bool:
        """Return whether an origin has set cookies."""
        return bool(self._jars.get(origin))

    def jar(self, origin: str) -> CookieJar:
        """Return the jar of an origin, empty if it has none."""
        return self._jars.get(origin, CookieJar())

    def restore(self, origin: str, jar: CookieJar) -> None:
        """Use a jar of an earlier run."""
        self._jars[origin] = jar
        self._hide(origin, jar)

    def forget(self, origin: str) -> None:
        """Forget the cookies of an origin, before a new login."""
        if (jar := self._jars.get(origin)) is not None:
            jar.clear()

    def access(self, asked: Asked) -> Access:
        """Return the Cookie field of a request, if the jar of its origin is open (see the class)."""
        origin = asked.target.origin
        jar = self._jars.get(origin)
        if jar is None or asked.is_of_another_origin or not self.is_open(origin):
            return NO_ACCESS
        self._jars.move_to_end(origin)
        field = jar.field(asked.target.path, asked.now)
        if not field:
            return NO_ACCESS
        is_login = origin in self._logins
        return Access(fields=((COOKIE, field),), login="session" if is_login else "")

    def answered(self, asked: Asked, status: int, fields: Mapping[str, str], cookies: Sequence[str]) -> None:
        """Add the cookies that an answer sets to the jar of its origin."""
        origin = asked.target.origin
        if not cookies or asked.is_of_another_origin:
            return
        jar = self._jars.setdefault(origin, CookieJar())
        self._jars.move_to_end(origin)
        if len(self._jars) > (MOST_JARS if self._keeps_all else MOST_CLOSED + len(self._open)):
            self._drop_oldest()
        has_changed = jar.read(cookies, asked.target.path, asked.now)
        if has_changed and origin in self._logins:
            self.is_changed = True
            self._hide(origin, jar)

    def _drop_oldest(self) -> None:
        closed = (origin for origin in self._jars if origin not in self._open)
        opened = (origin for origin in self._jars if origin not in self._logins)
        oldest = next(closed, None) if len(self._open) < MOST_JARS else next(opened, None)
        if oldest is not None:
            del self._jars[oldest]
            self._open.discard(oldest)

    def _hide(self, origin: str, jar: CookieJar) -> None:
        if origin in self._logins:
            for cookie in jar:
                HIDDEN_VALUES.add(cookie.value)
