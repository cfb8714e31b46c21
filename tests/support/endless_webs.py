"""Endless spaces of many kinds, each beside a small site on one host. A space is a function from a path to a page."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Final

Page = tuple[str, list[str]]
"""Text and links, which are paths."""
Space = Callable[[str], Page | str]
"""A path to its page, or to where it redirects."""

SITE_PAGES: Final = 400
HOST: Final = "http://shop.example"
_MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS: Final = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_WORDS: Final = ["".join(random.Random(i).choices("abcdefghijklmnopqrstuvwxyz", k=3 + i % 7)) for i in range(1500)]
_NAVIGATION: Final = ["/", "/docs/1.html", "/news/2.html"]


def _dice(*seed: object) -> random.Random:
    return random.Random(repr(seed))


def _babble(dice: random.Random, words: int = 120) -> str:
    return " ".join(dice.choices(_WORDS, k=words))


def _letters(dice: random.Random, count: int) -> str:
    return "".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=count))


# --- the spaces, each below a folder of its own ---------------------------------------------------


def months(path: str) -> Page:
    """A calendar of months, linked back and forth."""
    at = int(path.rsplit("=", maxsplit=1)[-1]) if "=" in path else 0
    text = f"Events in {_MONTHS[at % 12]} {2025 + at // 12}. There are no events. Subscribe. Print. Month view."
    return text, [f"/months?at={at + 1}", f"/months?at={at - 1}", *_NAVIGATION]


def days(path: str) -> Page:
    """A calendar with a page a day, a month and a year, in paths."""
    year, month, day = [*map(int, path.split("/")[2:]), 0, 0, 0][:3] if path.count("/") > 1 else (2025, 0, 0)
    if day:
        name = _DAYS[(year * 365 + month * 31 + day) % 7]
        return f"{name}, {day} {_MONTHS[month - 1]} {year}: nothing planned on this day, add an event", [
            f"/days/{year}/{month}",
            *_NAVIGATION,
        ]
    if month:
        here = [f"/days/{year}/{month}/{each}" for each in range(1, 29)]
        return f"{_MONTHS[month - 1]} {year}: choose a day to see what is planned", [
            *here,
            f"/days/{year + month // 12}/{month % 12 + 1}",
            *_NAVIGATION,
        ]
    return f"The year {year}: choose a month of the calendar", [
        f"/days/{year + 1}",
        *(f"/days/{year}/{each}" for each in range(1, 13)),
    ]


def session_in_path(path: str) -> Page:
    """A shop of sixty pages under a new session with every visit."""
    page = int(path.rsplit("/", maxsplit=1)[-1].split(".", maxsplit=1)[0]) if path.endswith(".html") else 0
    session = _dice(path).getrandbits(64)
    links = [f"/s/{session:016x}/goods/{each}.html" for each in (page * 3 % 60, (page + 1) % 60, (page + 7) % 60)]
    return f"Goods number {_letters(_dice(page), 9)}: {_babble(_dice('goods', page))}", [*links, *_NAVIGATION]


def session_in_query(path: str) -> Page:
    """The same with the session in the query."""
    page = int(path.split("item=")[1].split("&", maxsplit=1)[0]) if "item=" in path else 0
    session = _dice(path).getrandbits(64)
    links = [f"/q/view?item={each}&sid={session:016x}" for each in (page * 3 % 60, (page + 1) % 60, (page + 7) % 60)]
    return f"Goods number {_letters(_dice(page), 9)}: {_babble(_dice('goods', page))}", [*links, *_NAVIGATION]


_FACETS: Final = ("brand", "colour", "kind", "material", "price", "season", "size", "sort", "stars", "store")


@lru_cache(None)
def _good(number: int) -> str:
    return f"{_letters(_dice('good', number), 8)} {_babble(_dice('good', number), 6)}"


def facets(path: str) -> Page:
    """Ten facets of six values, in all combinations: 282 million pages of 300 goods."""
    chosen = dict(part.split("=") for part in path.partition("?")[2].split("&") if part)
    dice = _dice("facets", sorted(chosen.items()))
    shown = [_good(each) for each in dice.sample(range(300), 20)]
    links = []
    for facet in _FACETS:
        for value in dice.sample(range(6), 2):
            choice = {**chosen, facet: str(value)}
            links.append("/facets?" + "&".join(f"{key}={choice[key]}" for key in sorted(choice)))
    return "Our goods: " + "; ".join(shown), [*links, *_NAVIGATION]


def sort_orders(path: str) -> Page:
    """A listing of 200 goods by any column, either way, any number a page, from any one on."""
    dice = _dice("sort", path)
    shown = [_good(each).partition(" ")[0] for each in dice.sample(range(200), 25)]
    links = [
        f"/list?by={dice.choice(_FACETS)}&dir={dice.choice(('up', 'down'))}"
        f"&from={dice.randrange(200)}&show={dice.randrange(1, 60)}"
        for _ in range(12)
    ]
    return "Listing of our goods by choice: " + " ".join(shown), [*links, *_NAVIGATION]


def random_same(path: str) -> Page:
    """Random links, always the same text."""
    dice = _dice("same", path)
    return "This page has moved or was never here. Try one of these.", [
        f"/r/{_letters(dice, 9)}/{_letters(dice, 7)}.html" for _ in range(8)
    ]


def random_babble(path: str) -> Page:
    """Random links by names from a list, random text from the same list."""
    dice = _dice("babble", path)
    return _babble(dice, 200), ["/b/" + "/".join(dice.choices(_WORDS, k=dice.randrange(1, 5))) + "/" for _ in range(6)]


def random_letters(path: str) -> Page:
    """Random links, and text of words that nobody has used before."""
    dice = _dice("letters", path)
    return " ".join(_letters(dice, 8) for _ in range(80)), [f"/l/{_letters(dice, 10)}" for _ in range(6)]


def nesting(path: str) -> Page:
    """An error page with status 200 and relative links, so that folders nest."""
    folder = path[: path.rindex("/") + 1]
    return "Sorry, the page you asked for was not found on this server. Go to the help or the products.", [
        f"{folder}help/",
        f"{folder}products/",
        f"{folder}index.html",
    ]


def redirects(path: str) -> Page | str:
    """Pages that link to redirects, each of which leads to a new page."""
    dice = _dice("redirects", path)
    if path.startswith("/go/out"):
        return f"/go/page/{dice.getrandbits(48):x}"
    return "You have been sent here because of your visit. Read on.", [
        f"/go/out/{dice.getrandbits(48):x}" for _ in range(3)
    ]


def pagination(path: str) -> Page:
    """A listing whose pages go on, empty, after the fortieth."""
    number = int(path.rsplit("=", maxsplit=1)[-1]) if "=" in path else 1
    text = _babble(_dice("entries", number)) if number <= 40 else "No entries on this page."
    return f"Entries, page {number}. {text} Older entries, newer entries.", [
        f"/entries?page={number + 1}",
        *_NAVIGATION,
    ]


def slashes(path: str) -> Page:
    """The site again under every number of slashes."""
    slash = len(path) - len(path.lstrip("/"))
    return _site_text(path.lstrip("/")), [
        *("/" * slash + link.lstrip("/") for link in _site_links("/" + path.lstrip("/"))[:6]),
        "/" * (slash + 1),
    ]


@lru_cache(None)
def _post(number: int) -> str:
    return _babble(_dice("post", number), 8)


def tags(path: str) -> Page:
    """All combinations of thirty tags, in paths."""
    chosen = sorted(set(path.split("/")[2].split("+"))) if path.count("/") > 1 else []
    dice = _dice("tags", chosen)
    posts = [_post(each) for each in dice.sample(range(150), 10)]
    links = ["/tags/" + "+".join(sorted({*chosen, f"{_WORDS[each]}"})) for each in dice.sample(range(30), 8)]
    return "Posts with these tags: " + " / ".join(posts), [*links, *_NAVIGATION]


SPACES: Final[dict[str, tuple[str, Space]]] = {
    "calendar of months": ("/months", months),
    "calendar of days": ("/days", days),
    "session in path": ("/s/0/goods/0.html", session_in_path),
    "session in query": ("/q/view?item=0", session_in_query),
    "facets": ("/facets", facets),
    "sort orders": ("/list", sort_orders),
    "random links, same text": ("/r/", random_same),
    "random links, babble": ("/b/", random_babble),
    "random links, new words": ("/l/", random_letters),
    "nesting soft 404": ("/missing/", nesting),
    "redirects to new pages": ("/go/page/0", redirects),
    "pagination without end": ("/entries", pagination),
    "slashes": ("//", slashes),
    "tag combinations": ("/tags", tags),
}


# --- the finite site beside it --------------------------------------------------------------------


def _site_path(number: int) -> str:
    section = ("about", "docs", "news", "blog")[number % 4]
    return "/" if number == 0 else f"/{section}/{number}.html"


@lru_cache(None)
def _site_text(path: str) -> str:
    return (
        f"{_letters(_dice('title', path), 10)}: {_babble(_dice('site', path), 80)} {_letters(_dice('end', path), 12)}"
    )


def _site_links(path: str) -> list[str]:
    number = 0 if path == "/" else int(path.rsplit("/", maxsplit=1)[-1].split(".", maxsplit=1)[0])
    return [
        _site_path(each) for each in (number * 2 + 1, number * 2 + 2, number - 1, number + 1) if 0 <= each < SITE_PAGES
    ]


SITE: Final = frozenset(map(_site_path, range(SITE_PAGES)))


def web_with(entry: str, space: Space) -> Space:
    """The site, whose first page links into the space."""

    def page(path: str) -> Page | str:
        if path not in SITE:
            return space(path)
        links = _site_links(path)
        return _site_text(path), [*links, entry] if path in ("/", "/about/4.html") else links

    return page
