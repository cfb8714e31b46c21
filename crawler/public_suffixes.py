"""Registrable domains: which part of a host name somebody has registered, by the public suffix list.

The list is the one that tldextract carries; it comes with that package and is read as data, once. The package
itself is not imported: with what it imports, and its trees, that took 0.10 s more and 13 MB.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Final

from ada_url import normalize_url

_LIST: Final = ".tld_set_snapshot"


def registrable_domain(name: str) -> str | None:
    """The registrable domain of a host name; None for addresses and for public suffixes themselves.

    The list's private part counts: alice.github.io and bob.github.io are two sites, run by two people. Under
    a top-level domain that is not in the list, as inside a company, it is the last two labels, by the list's
    own rule "*".
    """
    labels = name.lower().rstrip(".").split(".")
    if not labels[0] or labels[0].startswith("[") or labels[-1].isdigit():
        return None
    registered = len(labels) - (_suffix_length(labels) or 1) - 1
    if registered < 0 or not labels[registered]:
        return None
    return ".".join(labels[registered:])


def _suffix_length(labels: list[str]) -> int:
    """Of how many labels the public suffix is; 0 if no rule says so. The longest rule that matches counts."""
    rules = _rules()
    for start in range(len(labels)):
        name = ".".join(labels[start:])
        if f"!{name}" in rules:
            return len(labels) - start - 1
        if name in rules or f"*.{'.'.join(labels[start + 1 :])}" in rules:
            return len(labels) - start
    return 0


@cache
def _rules() -> frozenset[str]:
    """The rules as the list has them, and those that are not in ASCII also as host names in URLs are written."""
    package = find_spec("tldextract")
    assert package is not None
    assert package.submodule_search_locations
    path = f"{package.submodule_search_locations[0]}/{_LIST}"
    lines = package.loader.get_data(path).decode().split("\n")  # type: ignore[union-attr]
    rules = [line.rstrip() for line in lines if line and not line.startswith("//")]
    return frozenset([*rules, *(_in_ascii(rule) for rule in rules if not rule.isascii())])


def _in_ascii(rule: str) -> str:
    mark = rule[: len(rule) - len(rule.lstrip("*.!"))]
    return mark + normalize_url(f"https://{rule[len(mark) :]}/")[len("https://") : -1]
