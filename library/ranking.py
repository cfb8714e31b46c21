"""Ranks the pages of a store's domain as the whole web would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.error_formula import MOST
from hinterland.analysis.estimates.estimate_error import informative_refreshes
from hinterland.analysis.estimates.estimation import Estimate, Estimation
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, local_ranks
from hinterland.analysis.graph import BoolArray, FloatArray
from hinterland.crawler.features.outside.rank_records import past_estimates, rank_records
from hinterland.crawler.features.outside.stored_crawl import crawled_graph
from hinterland.crawler.plugins.kinds import ESTIMATOR
from hinterland.crawler.settings import Settings, from_json
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.distribution.extras import need
from hinterland.library.errors import StoreUnusable
from hinterland.library.event_loops import run_to_end
from hinterland.library.other_sources.inlink_rows import inlink_rows
from hinterland.library.other_sources.inlinks import InlinkAnswer, with_inlinks
from hinterland.library.plugin_tables import enter_plugins, require
from hinterland.library.rank_answer import RankAnswer, Ranking
from hinterland.library.relevant_pages import require_topic
from hinterland.library.written_back import written_back
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_files import file_of
from hinterland.storage.stored_crawl import stored_crawl
from hinterland.storage.values.pages import NamedPage


def rank(
    store: str | Path,
    *,
    estimator: str | None = None,
    relevant: float = 0.0,
    top: int = 20,
    movers: int = 10,
    with_history: bool = False,
    inlinks: str | Path | None = None,
    plugins: Sequence[str | Path] = (),
    on_step: Callable[[str], None] = lambda _step: None,
) -> RankAnswer:
    """Rank the local pages as the whole web would, and store the ranks, as `hinterland rank` does.

    `estimator` names the method; None leaves the choice to the program. If `relevant` is not 0, the domain is the pages
    with at least this relevance to the topic of the crawl. The answer names the `top` highest pages (0: all), and the
    `movers` pages whose positions by the links of the site and by the web differ most. `with_history` adds every
    estimate made during the crawl. `inlinks` names a list of links into the domain, which corrects the estimate
    (`other_sources`); corrected ranks are not stored. `on_step` is called with the name of each step. If the ranks
    cannot be stored, the answer says why.

    Raises MissingPackage, NoStore, and HinterlandError if nothing can be ranked or an estimator is unknown.
    """
    need("rank", by="ranking pages")
    path = Path(store)
    enter_plugins([str(each) for each in plugins])
    if estimator is not None:
        require(ESTIMATOR, estimator)
    if relevant:
        require_topic(path)
    with reading(path) as reader:
        opened = file_of(path)
        on_step("links")
        crawled, is_ranked = crawled_graph(stored_crawl(reader.connection, least_relevance=relevant))
        if not len(crawled.local) or not is_ranked[crawled.local].any():
            which = "about its topic" if relevant else "of a local domain"
            raise StoreUnusable(f"{path} holds no fetched page {which}, so nothing can be ranked yet")
        on_step("PageRank")
        outside_pages = int((is_ranked & ~crawled.is_local).sum())
        name = estimator or DEFAULT_ESTIMATOR
        # The crawl's estimates are of the domain it was given; the relevant pages are another one.
        past = [] if relevant else past_estimates(reader.ranks.past_estimates(name, informative_refreshes))
        estimate = Estimation(name, past=past, is_sparing=True).estimate(crawled, outside_pages)
        by_own_links = local_ranks(crawled)
        source: InlinkAnswer | None = None
        if inlinks is not None:
            on_step("inlinks")
            estimate, source = _corrected(estimate, crawled, Path(inlinks), reader)
        ranking = _ranking(crawled, is_ranked, estimate, by_own_links)
        highest, moved = ranking.top(top or len(ranking.pages)), ranking.movers(movers)
        names = _names(reader, ranking, [*highest, *moved])
        history = reader.ranks.estimates() if with_history else None
    if source is None:
        records = rank_records(crawled, estimate, by_own_links)
        complaint = run_to_end(lambda: written_back(path, opened, records))
    else:
        complaint = "they rest on a file that the store does not have"
    return RankAnswer(
        store=str(store),
        ranking=ranking,
        outside_pages=outside_pages,
        names=names,
        top=highest,
        movers=moved,
        history=history,
        not_stored=complaint,
        inlinks=source,
    )


def _corrected(
    estimate: Estimate, crawled: CrawledGraph, file: Path, reader: StoreReader
) -> tuple[Estimate, InlinkAnswer]:
    """Return the estimate corrected by a list of inlinks, and what the list contributed."""
    stored = reader.runs.last_settings()
    canonical = Canonicaliser.under((Settings() if stored is None else from_json(stored)).urls).canonical

    def number_of(url: str) -> int | None:
        return reader.pages.number_of(canonical(url) or url)

    most_moved = MOST if estimate.error is None else estimate.error.l1
    ranks, source = with_inlinks(inlink_rows(file), crawled, estimate.ranks, number_of, most_moved)
    return replace(estimate, by_estimator={**estimate.by_estimator, estimate.estimator: ranks}), source


def _names(reader: StoreReader, ranking: Ranking, places: Sequence[int]) -> dict[int, NamedPage]:
    return reader.pages.named([int(ranking.pages[place]) for place in set(places)])


def _ranking(crawled: CrawledGraph, is_fetched: BoolArray, estimate: Estimate, by_own_links: FloatArray) -> Ranking:
    """Return the ranking of pages that do not redirect. Redirects only pass their rank on."""
    shown = is_fetched[crawled.local]
    distances = {
        name: float(np.abs(ranks - estimate.ranks).sum())
        for name, ranks in estimate.by_estimator.items()
        if name != estimate.estimator
    }
    error = estimate.error
    return Ranking(
        pages=crawled.local[shown],
        site=by_own_links[shown],
        web=estimate.ranks[shown],
        estimator=estimate.estimator,
        disagreements=distances,
        error=error,
        spreads=None if error is None else error.spreads[shown],
    )
