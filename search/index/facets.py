"""Counts the pages that match a query by site, host, folder, language, type, year and topic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from hinterland.crawler.urls.hosts import name_of
from hinterland.search.answers import Facet, FacetValue
from hinterland.search.index.index_folder import IndexManifest
from hinterland.search.narrowing import narrowed
from hinterland.search.store.fields import DOMAIN, FOLDERS, RELEVANCE, TYPE, YEAR
from hinterland.search.store.values.term_query import Boosts, FieldCounts, TermQuery
from hinterland.storage.values.topics import RELEVANT

MOST_VALUES: Final = 8
"""Maximum number of values in one facet."""
_MOST_COUNTED: Final = 1_000


class FacetCounter(Protocol):
    """The part of `TermIndex` that facets need."""

    def counts(self, query: TermQuery, boosts: Boosts, fields: Sequence[str], most: int) -> dict[str, FieldCounts]:
        """Count the matching documents by the values of each field; see `TermIndex.counts`."""


def facets(
    terms: FacetCounter, manifest: IndexManifest, asked: TermQuery, boosts: Boosts, query: str
) -> Iterator[Facet]:
    """Yield the facets that can narrow the query.

    These are the facets with several values, and those with a value that some matching pages lack. `asked` is the
    parsed query, `query` the text that the user wrote.
    """
    fields = [DOMAIN, "language", TYPE, YEAR, RELEVANCE, *(FOLDERS if len(asked.sites) == 1 else ())]
    found = terms.counts(asked, boosts, fields, _MOST_COUNTED)
    if len(found[DOMAIN].values) > 1 and not asked.sites:
        yield _facet("site", found[DOMAIN], query)
    elif found[DOMAIN].values and len(asked.sites) <= 1:
        here = asked.sites[0] if asked.sites else found[DOMAIN].values[0][0]
        found |= {} if asked.sites else terms.counts(asked, boosts, FOLDERS, _MOST_COUNTED)
        yield from _places([found[field] for field in FOLDERS], here, query)
    for name, field in (("language", "language"), ("type", TYPE), ("year", YEAR)):
        counts = found[field]
        is_asked = bool({"language": asked.languages, "type": asked.types, "year": asked.years}[name])
        if len(counts.values) > 1 and not is_asked:
            yield _facet(name, counts, query)
    if manifest.topic and asked.least_relevance is None and found[RELEVANCE].values:
        pages = sum(count for percent, count in found[RELEVANCE].values if int(percent) >= 100 * RELEVANT)
        if pages:
            yield Facet("topic", (FacetValue(manifest.topic, pages, narrowed(query, "topic", manifest.topic)),), 0)


def _places(by_depth: Sequence[FieldCounts], here: str, query: str) -> Iterator[Facet]:
    """Yield the hosts of a site or, for a single host, its folders that have more than one page.

    If there is only one folder, yield the folders below it. `by_depth` holds the counts of hosts, of folders of depth
    one, two and so on; `here` is the site.
    """
    within = ""
    depth = here.count("/") + 1
    if depth == 1:
        hosts = by_depth[0]
        # The folders of a host are also those of the domain, if that is its name.
        own = [host for host, _ in hosts.values if host == here or name_of(f"//{host}") == here]
        if len(hosts.values) > 1 and not own:
            yield _facet("host", hosts, query)
            return
        within = f"{(own or [hosts.values[0][0]])[0]}/"
    for counts in by_depth[depth:]:
        folders = [(place, count) for place, count in counts.values if count > 1 and place.startswith(within)]
        if len(folders) != 1:
            yield from [_facet("folder", FieldCounts(folders, counts.others), query)] if folders else ()
            return
        within = f"{folders[0][0]}/"


def _facet(name: str, counts: FieldCounts, query: str) -> Facet:
    operator = {"site": "site", "host": "site", "folder": "site", "language": "lang"}.get(name, name)
    values: Iterable[tuple[str, int]] = counts.values[:MOST_VALUES]
    others = counts.others + sum(count for _, count in counts.values[MOST_VALUES:])
    if name == "year":
        values = sorted(values, reverse=True)
    return Facet(
        name,
        tuple(FacetValue(value, pages, narrowed(query, operator, value)) for value, pages in values if value),
        others,
    )
