"""What a feature says about the pages of a store, after the crawl that used it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hinterland.crawler.fetching.robots.rules import RobotsRules
from hinterland.storage.values.uses import RefusedPages, Use


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark of a feature about one page, for `explain` and the page view.

    People read `label` and `lines`; a remark without lines is not shown. Lines may quote a page, so the caller removes
    control characters before it shows them. Programs read `name` and `value`, a key and a value of JSON.
    """

    name: str
    label: str
    lines: Sequence[str]
    value: object


class StoredFeature:
    """What a feature says about the pages of a store. A subclass overrides what its feature knows.

    Its constructor takes the reader of the store, or None if a page is looked at without a store, and the name of the
    crawler.
    """

    tables: ClassVar[Collection[str]] = ()
    """The tables of records that the remarks tell in words, so that they need not be shown as records."""

    def remarks(self, url: str, page: int | None, rules: RobotsRules | None) -> Sequence[Remark]:
        """Return the remarks about a canonical URL. They are the same in number and order for all URLs.

        `page` is its number in the store, None if it is unknown. `rules` replace those of its robots.txt in the store.
        """
        return ()

    def refusing(self, uses: Collection[Use]) -> RefusedPages:
        """Return the fetched pages that may not be used for at least one of these uses."""
        return RefusedPages()

    def preferences(self, page: int) -> Mapping[Use, bool]:
        """Return which uses are allowed and disallowed for a page. Uses about which nothing is known are left out."""
        return {}

    def refusals(self, page: int, use: Use) -> Sequence[str]:
        """Return, in words, why a page may not be put to this use; empty if it may. The texts may quote the page."""
        return ()

    def about_host(self, host: int) -> Sequence[str]:
        """Return what the host with this number says about the use of its pages, as written."""
        return ()
