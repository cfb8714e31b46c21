"""Recognises the home pages of sites, and the words by which a query names a site. Pure.

The query "keystone documentation" asks for docs.openstack.org/keystone/latest/, not for one of the thousand pages that
say more about Keystone. A home page is recognised by its URL: it is the index of a folder, and its path has at most two
folders with names of their own. Versions, languages and words such as "docs" are not such names.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit

DEEPEST: Final = 2
"""The maximum number of folders with names of their own above the home page of a part of a site."""

_GENERIC_LIST: Final = """
documentation docs doc manual home homepage page official site website web dokumentation handbuch startseite accueil
documentacion inicio pagina documentazione documentacao
"""
GENERIC: Final = frozenset(_GENERIC_LIST.split())
"""Words, without accents, that ask for a site if they stand next to its name, even if the page does not have them."""

_PLAIN_FOLDER: Final = re.compile(
    r"[a-z]{2}(?:[-_][a-z]{2,4})?|v?[\d.]+(?:[-_.]?[a-z]+\d*)?|(?:\w*-)?(?:latest|stable|master|main|current|release|dev|trunk)(?:-[\w.]*)?"
    r"|docs?|documentation|html?|htdocs|manuals?|api|web|site|www|pages?|index|home|public|wiki",
    re.IGNORECASE,
)
_INDEX_FILE: Final = re.compile(
    r"(?:index|default|home|welcome|contents|start)(?:\.[a-z]{2}(?:[-_][a-z]+)?)?(?:\.\w+)?", re.IGNORECASE
)


def home_depth(url: str) -> int | None:
    """Return how many folders with names of their own are in a home page's URL; None if it is not a home page."""
    parts = urlsplit(url)
    *folders, file = unquote(parts.path).split("/")
    if parts.query or (file and not _INDEX_FILE.fullmatch(file)):
        return None
    depth = sum(not _PLAIN_FOLDER.fullmatch(folder) for folder in folders if folder)
    return depth if depth <= DEEPEST else None


def names_of_site(url: str) -> str:
    """Return the words of a host, without its top-level domain, and of the folders of a URL."""
    parts = urlsplit(url)
    labels = (parts.hostname or "").split(".")
    return " ".join([*(labels[:-1] or labels), *unquote(parts.path).split("/")[:-1]])


def home_term(depth: int, word: str) -> str:
    """Return the index term that marks a document as a home page of this depth, of a site that `word` names."""
    return f"{depth}:{word}"
