"""The pages that match a query, counted: by site, host, folder, language, type, year and topic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from crawler.apps.search.answers import Facet, FacetValue
from crawler.apps.search.index.index_folder import IndexManifest
from crawler.apps.search.narrowing import narrowed
from storage.search_index.fields import DOMAIN, RELEVANCE, TYPE, YEAR
from storage.search_index.terms import SearchTerms
from storage.search_index.values.term_query import SITE_DEPTH, Boosts, FieldCounts, TermQuery

MOST_VALUES: Final = 8
"""Of one facet."""
_ABOUT: Final = 50
"""A page of so many percent or more is about the topic."""


def facets(
    terms: SearchTerms, manifest: IndexManifest, asked: TermQuery, boosts: Boosts, query: str
) -> Iterator[Facet]:
    """Those that have more than one value, or one that not all pages have. asked: the question, query: as written."""
    known = manifest.knows_facets
    if not known:
        return
    fields = {DOMAIN: None, "language": None, TYPE: None, YEAR: None, RELEVANCE: None}
    found = terms.counts(asked, boosts, fields, MOST_VALUES + 1)
    yield from _places(terms, asked, boosts, query, found[DOMAIN])
    for name, field in (("language", "language"), ("type", TYPE), ("year", YEAR)):
        counts = found[field]
        is_asked = bool({"language": asked.languages, "type": asked.types, "year": asked.years}[name])
        if len(counts.values) > 1 and not is_asked:
            yield _facet(name, counts, query)
    if manifest.topic and asked.least_relevance is None and found[RELEVANCE].values:
        about = terms.counts(asked, boosts, {RELEVANCE: None}, 101)[RELEVANCE].values
        pages = sum(count for percent, count in about if int(percent) >= _ABOUT)
        if pages:
            yield Facet("topic", (FacetValue(manifest.topic, pages, narrowed(query, "topic", manifest.topic)),), 0)


def _places(
    terms: SearchTerms, asked: TermQuery, boosts: Boosts, query: str, domains: FieldCounts
) -> Iterator[Facet]:
    """Sites; of one site its hosts; of one host its folders, and so on down."""
    if len(domains.values) > 1 and not asked.sites:
        yield _facet("site", domains, query)
        return
    if len(asked.sites) > 1 or (not asked.sites and not domains.values):
        return
    here = asked.sites[0] if asked.sites else domains.values[0][0]
    while here.count("/") < SITE_DEPTH:
        below = "" if "/" in here else f"|([^/]+\\.){re.escape(here)}"
        found = terms.counts(asked, boosts, {"site": f"{re.escape(here)}/[^/]+{below}"}, 1_000)["site"]
        hosts = [each for each in found.values if "/" not in each[0]]
        folders = [each for each in found.values if "/" in each[0]]
        if hosts and not folders:  # the folders of a host are also those of the domain, if that is its name
            name, values = "host", hosts
        else:
            name, values = "folder", [(value, count) for value, count in folders if count > 1]
        if len(values) == 1:
            here = values[0][0]
            continue
        if values:
            rest = sum(count for _, count in values[MOST_VALUES:]) + found.others
            yield _facet(name, FieldCounts(values[:MOST_VALUES], rest), query)
        return


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
