"""Rules that raise, lower or block sites in all searches: a TOML file that can be shared. Pure.

[[site]]
name = "docs.example.org/guide"     # a host, a domain with all its hosts, or a folder, as in `site:`
add = 4.0                           # to the score of its pages; negative values lower it

[[site]]
name = "mirror.example"
block = true
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

from hinterland.search.query_language import site_named
from hinterland.search.store.values.term_query import TermQuery

_MOST: Final = 1_000.0
_KEYS: Final = {"name", "add", "block"}


class BadSiteRules(Exception):
    """The site rules are invalid; the message names the faulty rule and how to fix it."""


@dataclass(frozen=True, slots=True)
class SiteRules:
    """Rules that raise, lower or block sites.

    `raised` holds (site, non-zero addend of the score). Sites in `blocked` are found only by queries that name them.
    """

    raised: tuple[tuple[str, float], ...] = ()
    blocked: tuple[str, ...] = ()

    def applied(self, terms: TermQuery) -> TermQuery:
        """Return the query with these rules applied.

        Sites that the query names are not blocked.
        """
        blocked = tuple(site for site in self.blocked if not any(_is_within(asked, site) for asked in terms.sites))
        return replace(terms, raised_sites=self.raised, excluded_sites=(*terms.excluded_sites, *blocked))

    @property
    def taken_away(self) -> float:
        """The sum of the amounts by which sites are lowered.

        No part of a score can be negative. So a lowered site keeps its score, and all other pages gain this amount.
        """
        return sum(-add for _, add in self.raised if add < 0)

    def of(self, sites: Iterable[str]) -> list[tuple[str, float]]:
        """Return the rules that apply to a page with these site names, as (site, addend of the score)."""
        named = set(sites)
        return [(site, add) for site, add in self.raised if site in named]


NO_RULES: Final = SiteRules()


def read_rules(text: str) -> SiteRules:
    """Parse the text of a file of site rules.

    Raises BadSiteRules.
    """
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadSiteRules(f"not valid TOML: {error}") from None
    if set(given) - {"site"} or not isinstance(given.get("site", []), list):
        raise BadSiteRules("the file may only hold rules; each begins with the line [[site]]")
    raised, blocked = list[tuple[str, float]](), list[str]()
    for place, rule in enumerate(given.get("site", []), 1):
        site, add, is_blocked = _rule(place, rule)
        if is_blocked:
            blocked.append(site)
        elif add:
            raised.append((site, add))
    return SiteRules(tuple(raised), tuple(blocked))


def _is_within(asked: str, site: str) -> bool:
    return asked == site or asked.startswith(f"{site}/") or asked.partition("/")[0].endswith(f".{site}")


def _rule(place: int, rule: Any) -> tuple[str, float, bool]:
    if not isinstance(rule, dict):
        raise BadSiteRules(f"{rule!r} is not a rule; each rule begins with the line [[site]]")
    if others := sorted(set(rule) - _KEYS):
        raise BadSiteRules(f"[[site]] {place} has {', '.join(others)}; only name, add and block are allowed")
    name = rule.get("name")
    site = site_named(name) if isinstance(name, str) else None
    if site is None:
        raise BadSiteRules(f'[[site]] {place} has no valid name; write a host, such as name = "docs.example.org"')
    add, is_blocked = rule.get("add", 0.0), rule.get("block", False)
    is_number = isinstance(add, int | float) and not isinstance(add, bool)
    if not is_number or abs(add) > _MOST or not isfinite(add):
        raise BadSiteRules(f"[[site]] {site} has add = {add!r}; it has to be a number from -{_MOST:g} to {_MOST:g}")
    if not isinstance(is_blocked, bool):
        raise BadSiteRules(f"block of {site} is {is_blocked!r}; it has to be true or false")
    return site, float(add), is_blocked
