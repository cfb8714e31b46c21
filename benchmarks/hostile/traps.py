"""Endless spaces: pages that are made up as they are asked for, each with links to more."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from benchmarks.hostile.behaviour import Behaviour, made, page


def _number(path: str) -> int:
    digits = "".join(each for each in path if each.isdigit())
    return int(digits[-9:] or 0)


def _ids(path: str, count: int) -> list[str]:
    return [hashlib.sha256(f"{path} {n}".encode()).hexdigest()[:12] for n in range(count)]


def _calendar(path: str) -> str:
    month = _number(path)
    days = (f"/odd/{month}?day={day}" for day in range(28))
    return page(f"Month {month}: nothing happens.", [f"/odd/{month + 1}", f"/odd/{max(month - 1, 0)}", *days])


def _facets(path: str) -> str:
    chosen = dict(parse_qsl(urlsplit(path).query))
    links = []
    for key in ["colour", "size", "brand", "price"]:
        for value in range(5):
            query = "&".join(f"{k}={v}" for k, v in (chosen | {key: value}).items())
            links.append(f"/odd?{query}")
    return page("Shoes.", links)


def _one(name: str, make: Callable[[str], str]) -> Behaviour:
    return Behaviour(name, {"/odd": made(make)}, any_path=made(make), good=6)


BEHAVIOURS: Final = [
    _one("calendar", _calendar),
    _one("facets", _facets),
    _one("sessions", lambda path: page("Welcome.", [f"/odd?sid={id_}" for id_ in _ids(path, 5)])),
    _one("random-links", lambda path: page(path, [f"/odd/{id_}" for id_ in _ids(path, 10)])),
    _one("deeper", lambda path: page("Deeper.", [f"{path.rstrip('/')}/a", f"{path.rstrip('/')}/b"])),
    _one("relative", lambda path: page("Relative.", ["more/", "again/more/"])),
    _one("soft-404", lambda path: page("Sorry, there is no such page.", [f"/odd/{id_}" for id_ in _ids(path, 4)])),
    _one("pages-without-end", lambda path: page("Nothing here.", [f"/odd?page={_number(path) + 1}"])),
    _one("growing-query", lambda path: page("Query.", [f"{path}{'&' if '?' in path else '?'}q{len(path)}=1"])),
    _one("slashes", lambda path: page("Slashes.", [path + "/", "/" + path])),
    _one("cases", lambda path: page("Case.", ["".join(c.upper() if n % 3 == _number(path) % 3 else c
                                                      for n, c in enumerate(path)) + str(_number(path) + 1)])),
    _one("other-hosts", lambda path: page("Hosts.", [f"http://{id_}.example/" for id_ in _ids(path, 20)]
                                          + [f"/odd/{_number(path) + 1}"])),
    _one("unique-text", lambda path: page(" ".join(_ids(path, 300)), [f"/odd/{id_}" for id_ in _ids(path, 6)])),
]  # fmt: skip
