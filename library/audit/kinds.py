"""The terms in which rules are described: how bad their faults are, and what they need. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Severity(StrEnum):
    """How bad a fault is.

    In this order: visitors or search engines meet an error; they lose something; they could be served better.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Group(StrEnum):
    """The part of an audit to which a rule belongs, in the order of the report."""

    LINKS = "Links"
    REDIRECTS = "Redirects"
    INDEXING = "Indexing"
    CONTENT = "Titles, descriptions and headings"
    LANGUAGES = "Languages"
    DUPLICATES = "Duplicates"
    STRUCTURE = "Structure"
    ASSETS = "Images, styles and scripts"
    SPEED = "Speed and size"
    SECURITY = "Security and caching"


class Need(StrEnum):
    """What a rule needs in addition to the pages and links that every store has. The value says how to provide it."""

    TEXTS = "crawl with storage.keep_text = true"
    LANGUAGES = "install what recognises languages: `setup search`"
    FACTS = "crawl with --audit"
    CHECKS = "crawl with --check-links, or run `audit FILE --check`"
    REQUISITES = "crawl with --requisites site or all"
    SITEMAPS = "crawl with --audit, which reads the sitemaps, too"


class Loss(StrEnum):
    """Which rank is the weight of a fault."""

    FLOW = "flow"
    """The rank that flows along the faulty links and is lost."""
    PAGES = "pages"
    """The rank of the pages at fault."""


UNCHECKED_STATUSES: Final = (401, 403, 407, 408, 425, 429, 451)
"""Refusals that say nothing of whether the page exists: a person may well be shown it."""
