"""The run of `rank`: computes the ranks of a store, stores them and writes the answer."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from pathlib import Path

import numpy as np

from hinterland.analysis.crawled_graph import CrawledGraph
from hinterland.analysis.estimates.estimate_error import telling
from hinterland.analysis.estimates.estimation import Estimate, Estimation
from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR, local_ranks
from hinterland.analysis.graph import BoolArray, FloatArray
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output
from hinterland.cli.progress_line import ProgressLine
from hinterland.crawler.features.outside.rank_records import past_estimates, rank_records
from hinterland.crawler.features.outside.stored_crawl import crawled_graph
from hinterland.crawler.parsing.compiled.freed_memory import keep_little_freed_memory
from hinterland.crawler.plugins.kinds import ESTIMATOR
from hinterland.library.errors import StoreUnusable
from hinterland.library.plugin_tables import enter_plugins, require
from hinterland.library.rank.answer import RankAnswer, Ranking, as_csv, as_json, as_table
from hinterland.library.relevant_pages import require_topic
from hinterland.library.text.wording import json_text
from hinterland.library.written_back import written_back
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.store_files import file_of
from hinterland.storage.stored_crawl import stored_crawl

_INTERVAL_SECONDS = 1.0


def run(arguments: Namespace) -> int:
    keep_little_freed_memory()
    enter_plugins(arguments.plugins)
    if arguments.estimator is not None:
        require(ESTIMATOR, arguments.estimator)
    path = Path(arguments.store)
    if arguments.relevant:
        require_topic(path)
    with reading(path) as store, ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        opened = file_of(path)
        progress.hint("links")
        crawled, is_ranked = crawled_graph(stored_crawl(store.connection, least_relevance=arguments.relevant))
        if not len(crawled.local) or not is_ranked[crawled.local].any():
            which = "about its topic" if arguments.relevant else "of a local domain"
            raise StoreUnusable(f"{path} holds no fetched page {which}, so nothing can be ranked yet")
        progress.hint("PageRank")
        estimate = _estimation(store, arguments).estimate(crawled, _outside_pages(crawled, is_ranked))
        by_own_links = local_ranks(crawled)
        answer = _answer(store, arguments, crawled, is_ranked, estimate, by_own_links)
    complaint = asyncio.run(written_back(path, opened, rank_records(crawled, estimate, by_own_links)))
    if complaint:
        print(f"hinterland: the ranks are not stored: {complaint}", file=sys.stderr)
    output = Output(sys.stdout)
    match arguments.format:
        case "csv":
            output.write(as_csv(answer))
        case "json":
            output.write(json_text(as_json(answer)))
        case _:
            output.write(as_table(answer, output.width))
    return OK


def _estimation(store: StoreReader, arguments: Namespace) -> Estimation:
    """What the crawl estimated is of the domain it was told; the relevant pages are another one."""
    name = arguments.estimator or DEFAULT_ESTIMATOR
    past = [] if arguments.relevant else past_estimates(store.ranks.past_estimates(name, telling))
    return Estimation(name, past=past, is_sparing=True)


def _outside_pages(crawled: CrawledGraph, is_fetched: BoolArray) -> int:
    return int((is_fetched & ~crawled.is_local).sum())


def _answer(
    store: StoreReader,
    arguments: Namespace,
    crawled: CrawledGraph,
    is_fetched: BoolArray,
    estimate: Estimate,
    by_own_links: FloatArray,
) -> RankAnswer:
    """The answer, without pages that redirect: they only pass rank on."""
    shown = is_fetched[crawled.local]
    distances = {
        name: float(np.abs(ranks - estimate.ranks).sum())
        for name, ranks in estimate.by_estimator.items()
        if name != estimate.estimator
    }
    error = estimate.error
    ranking = Ranking(
        crawled.local[shown],
        by_own_links[shown],
        estimate.ranks[shown],
        estimate.estimator,
        distances,
        error,
        None if error is None else error.spreads[shown],
    )
    top = ranking.top(arguments.top or len(ranking.pages))
    movers = ranking.movers(arguments.movers)
    return RankAnswer(
        store=arguments.store,
        ranking=ranking,
        outside_pages=_outside_pages(crawled, is_fetched),
        names=store.pages.named([int(ranking.pages[place]) for place in {*top, *movers}]),
        top=top,
        movers=movers,
        history=store.ranks.estimates() if arguments.history else None,
    )
