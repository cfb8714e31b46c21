"""The domains under which anybody can register a name: the public suffix list (publicsuffix.org).

The list comes with the package tldextract, but this module reads the file without importing the package. Most of that
package downloads lists, and importing it and building its tree of the list take 12 MB and a quarter of a second.
"""

from __future__ import annotations

from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from typing import Final

_PACKAGE: Final = "tldextract"
_FILE: Final = ".tld_set_snapshot"


def public_suffix(name: str) -> str:
    """Return the longest public suffix that a host name, in lower case, equals or ends in.

    Returns "" if its top-level domain is not in the list. Suffixes in the list's private section count too, since
    alice.github.io and bob.github.io belong to different people.
    """
    rules = _rules()
    labels = name.split(".")
    shown = [_unicode(label) for label in labels]
    for start in range(len(labels)):
        parent = ".".join(shown[start + 1 :])
        suffix = f"{shown[start]}.{parent}" if parent else shown[start]
        if f"!{suffix}" in rules:  # an exception to the rule "*." of the parent
            return ".".join(labels[start + 1 :])
        if suffix in rules or f"*.{parent}" in rules:
            return ".".join(labels[start:])
    return ""


@cache
def _rules() -> frozenset[str]:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
        raise ModuleNotFoundError(f"the public suffix list is missing: {_PACKAGE} is not installed")
    text = spec.loader.get_data(spec.origin.removesuffix("__init__.py") + _FILE).decode()
    lines = (line.split(maxsplit=1)[0] for line in text.splitlines() if line.strip())
    return frozenset(line for line in lines if not line.startswith("//"))


def _unicode(label: str) -> str:
    """Return a label in Unicode, which is the form that the list uses."""
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode().decode("punycode")
    except UnicodeError:  # not a name that could be registered
        return label
