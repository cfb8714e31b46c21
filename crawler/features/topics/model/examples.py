"""The pages on which a classifier is trained: examples, and a background of pages that nobody has judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterland.crawler.features.topics.model.page_words import PageWordCounts


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page with a label that says whether it is about the topic.

    `host` is the scheme and authority of its URL, or a unique name for a file; `address` is its URL, or the path of the
    file. `is_given` is False for a page that nobody has judged but that matches the words of the topic.
    """

    page: PageWordCounts
    is_about: bool
    host: str
    address: str
    is_given: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """A random sample of the pages of the web that will be crawled, without labels.

    `hosts` and `pages` are parallel.
    """

    pages: Sequence[PageWordCounts] = field(default_factory=list)
    hosts: Sequence[str] = field(default_factory=list)
