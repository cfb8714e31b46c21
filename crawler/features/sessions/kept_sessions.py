"""Keeps the sessions of a crawl in a file next to its store, so that a resumed crawl need not log in again.

Only the owner of the file can read it. The store itself never contains a cookie, because users pass stores on to
others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Final

import msgspec

from hinterland.crawler.features.sessions.cookies import Cookie, CookieJar
from hinterland.crawler.fetching.access.secret_sources import private_file

_PRIVATE: Final = 0o600


class KeptSession(msgspec.Struct):
    """A session of one origin.

    `landing` is the page where the login was seen to succeed. `cookies` are (name, value, path, until); `until` is None
    for cookies that last as long as the session.
    """

    landing: str
    cookies: list[tuple[str, str, str, float | None]]

    @staticmethod
    def of(landing: str, jar: CookieJar) -> KeptSession:
        """Return the session with the cookies of a jar."""
        return KeptSession(
            landing, [(each.name, each.value, each.path, None if each.until == inf else each.until) for each in jar]
        )

    def jar(self) -> CookieJar:
        """Return a jar with the cookies."""
        return CookieJar(
            Cookie(name, value, path, inf if until is None else until) for name, value, path, until in self.cookies
        )


def sessions_file(store: Path) -> Path:
    """Return the file in which the sessions of a store's crawl are kept."""
    return store.with_name(f"{store.name}.sessions")


def read_sessions(file: Path) -> dict[str, KeptSession]:
    """Return the kept sessions by origin; an empty dict if the file is missing or damaged.

    Raises SecretUnusable if others can read the file.
    """
    if not file.exists():
        return {}
    data = private_file(str(file), "the kept sessions")
    try:
        return msgspec.json.decode(data, type=dict[str, KeptSession])
    except msgspec.MsgspecError:
        return {}


def write_sessions(file: Path, sessions: Mapping[str, KeptSession]) -> None:
    """Replace the file in one step. Raises OSError."""
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(msgspec.json.encode(dict(sessions)))
    new.replace(file)
