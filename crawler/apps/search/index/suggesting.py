"""The suggestions of an index: gathered when its documents and their ranks are written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Final

from crawler.apps.search.index.corpus import IndexPlan
from crawler.apps.search.index.index_folder import IndexFolder
from crawler.apps.search.phrases import HEADING, LINK, NAME, TITLE, Phrases, common_parts, own_title
from crawler.apps.search.suggestions import Suggestions
from storage.search_index.document_store import DocumentStore

_HIGHEST: Final = 2
"""The level of headings that are suggested; the lower ones are too many and say too little by themselves."""
_MOST_PAGES: Final = 5
"""A heading that more pages have, such as "Description", says nothing of any."""


def write_suggestions(folder: IndexFolder, documents: DocumentStore, plan: IndexPlan) -> None:
    """From all documents of the plan, whether they were written now or before."""
    phrases = Phrases()
    rank_of = _ranks(folder, plan)
    common = common_parts((host, title) for _, host, title in documents.titles())
    for page, host, title in documents.titles():
        phrases.add(own_title(host, title, common), TITLE, rank_of(page))
    for page, _, words, count in _anchors(documents, plan):
        phrases.add(words, LINK, rank_of(page), count)
    for page, names in documents.names():
        rank = rank_of(page)
        for name in names:
            phrases.add(name, NAME, rank)
    for text, pages in _headings(documents).items():
        if len(pages) <= _MOST_PAGES:
            for page in pages:
                phrases.add(text, HEADING, rank_of(page))
    folder.write_suggestions(Suggestions.of(phrases.weights))


def _headings(documents: DocumentStore) -> dict[str, list[int]]:
    """The pages that have each; of those that many have not all."""
    found: dict[str, list[int]] = {}
    for page, headings in documents.crawled.headings():
        for level, text in json.loads(headings):
            if level <= _HIGHEST and len(pages := found.setdefault(str(text), [])) <= _MOST_PAGES:
                pages.append(page)
    return found


def _ranks(folder: IndexFolder, plan: IndexPlan) -> Callable[[int], float]:
    """The rank of a page of the plan, in multiples of the average; 0 for one without."""
    known = folder.read_ranks().get("web")
    if known is None:
        return lambda _: 0.0
    ranks = dict(zip(plan.pages.tolist(), known.of(plan.pages).tolist(), strict=True))
    return lambda page: ranks.get(page, 0.0)


def _anchors(documents: DocumentStore, plan: IndexPlan) -> Iterator[tuple[int, bool, str, int]]:
    """The words of links to documents, those to what is folded into them included."""
    owners = dict(zip(plan.members.members.tolist(), plan.members.owners.tolist(), strict=True))
    shown = set(plan.pages.tolist())
    for target, is_inside, words, count in documents.all_anchors():
        page = owners.get(target, target)
        if page in shown:
            yield page, is_inside, words, count
