"""What a classifier is trained on: pages somebody has judged, and pages nobody has judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hinterland.crawler.features.topics.model.page_words import PageWordCounts


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page with a judgement whether it is about the topic.

    `host` is the scheme and authority of its URL, or a name of its own for a file; `address` is its URL, or the path of
    the file. `is_given` is False for a page that nobody has judged, chosen because it answers the words of the topic.
    """

    page: PageWordCounts
    is_about: bool
    host: str
    address: str
    is_given: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """A random sample of pages of the web that will be crawled, whatever they are about.

    `hosts` runs parallel to `pages`.
    """

    pages: Sequence[PageWordCounts] = field(default_factory=list)
    hosts: Sequence[str] = field(default_factory=list)
