"""Does PageRank help to find known items? Compares text alone with priors from the site or the whole web.

    python -m benchmarks.retrieval STORE [--work FOLDER] [--queries 4500] [--json FILE] [--markdown FILE]

STORE is a finished crawl of the webfarm's full set, with bodies and the seeds of `webfarm seeds`. Two subsets of it
serve as local domains, in turn, with the rest of the farm as their hinterland; queries are anchor texts held out of the
index (`known_items.py`). Weights are chosen on a third of the pages of the first corpus, and nothing is chosen on the
others or on the second corpus. Takes as much space as the store for each corpus.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.known_items import (
    STRATA,
    AnchorLink,
    KnownItem,
    Selection,
    folder_of,
    is_for_training,
    known_items,
    query_words,
    why_not,
)
from benchmarks.rank_priors import Farm, of_documents, url_depth, url_shortness
from benchmarks.reranking import candidates, positions, tuned, tuned_boosts, without_names
from benchmarks.retrieval_measures import MEASURES, Comparison, Interval, compare, mean_interval
from benchmarks.store_reading import local_anchors, make_local, urls_and_titles
from hinterland.crawler.policies import POLICIES
from hinterland.crawler.settings import SearchSettings
from hinterland.search.index.building import build
from hinterland.search.index.corpus import Corpus
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.scoring import BOOSTS, RANK_EXPONENT, RANK_HALF
from hinterland.search.ranking import RankWeights, rank_part
from hinterland.search.store.document_store import document_store
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.term_query import Boosts

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

CORPORA: Final = {
    "python": [
        *("docs.python.org/", "docs.scipy.org/", "pandas.pydata.org/", "scikit-learn.org/", "docs.dask.org/"),
        *("www.sphinx-doc.org/", "numba.readthedocs.io/", "ipython.readthedocs.io/"),
    ],
    "java": ["docs.oracle.com/en/java/javase/17/docs/api/java.base/"],
}
"""Name -> what the URLs of its local domain begin with. Weights are chosen on the first."""
MULTIPLES: Final = (1, 2)
"""Sizes of the hinterland, in multiples of the domain."""
GRAPH_POLICY: Final = "return-flow"
"""The policy whose estimate is computed again without the held-out links."""
NO_NAMES, TEXT, SITE = "BM25, all words alone", "BM25", "+ PageRank, site alone"
TRUE: Final = "+ PageRank, whole farm"
REDUCED: Final = ", held-out links not counted"


@dataclass(frozen=True, eq=False)
class Study:
    """One corpus, ready to be ranked. priors: by system, parallel to pages, in multiples of the average."""

    name: str
    terms: TermIndex
    pages: IntArray
    items: Sequence[KnownItem]
    counts: Mapping[str, int]
    priors: Mapping[str, FloatArray]
    distances: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """What a system reached. against: compared with other systems in MRR."""

    system: str
    queries: int
    measures: Mapping[str, Interval]
    by_stratum: Mapping[str, Interval]
    against: Mapping[str, Comparison]


# --- making a corpus ----------------------------------------------------------------------------


def prepared(name: str, prefixes: Sequence[str], store: Path, work: Path, most: int, seed: int) -> Study:
    """Copy the store, choose queries, index it without their links, and compute all priors."""
    copy, folder = work / f"{name}.db", IndexFolder(work / f"{name}.index")
    shutil.copyfile(store, copy)
    make_local(copy, prefixes)
    folder.path.mkdir(parents=True, exist_ok=True)
    with document_store(folder.documents, copy) as documents:
        plan = Corpus(documents).plan()
    said(f"{name}: {len(plan.pages):,} documents")
    representative = {page: page for page in plan.pages.tolist()}
    representative |= {member: page for page, members in plan.members.items() for member in members}
    selection = chosen(copy, representative, most, seed)
    held_out = [link for item in selection.items for link in item.held_out]
    report = build(copy, folder, left_out=held_out)
    said(f"{name}: {report.documents:,} indexed, {len(held_out):,} links held out, {len(selection.items):,} queries")
    terms = TermIndex.open(folder.terms, folder.read_manifest().languages)
    pages = np.sort(terms.known()[0])
    # Without the held-out links, another of the pages folded together may stand for them.
    items = [item for item in selection.items if item.page in set(pages.tolist())]
    gone = len(selection.items) - len(items)
    counts = {**selection.counts, "held-out links": len(held_out), "folded otherwise": gone}
    priors, distances = priors_of(copy, held_out, pages, plan.members, seed)
    return Study(name, terms, pages, items, counts, priors, distances)


def chosen(store: Path, representative: Mapping[int, int], most: int, seed: int) -> Selection:
    """Return the queries of a corpus.

    `representative` maps pages to the page of the index that stands for them.
    """
    urls, titles = urls_and_titles(store)
    reasons = Counter[str]()
    links = []
    known: dict[str, tuple[str, str]] = {}
    for source, target, anchor in local_anchors(store):
        if anchor not in known:
            known[anchor] = why_not(anchor), query_words(anchor)
        reason, words = known[anchor]
        if reason:
            reasons[f"links: {reason}"] += 1
        else:
            item = representative.get(target, target)
            links.append(AnchorLink(source, target, item, words, folder_of(urls[source])))
    of_index = {page: titles[page] for page in set(representative.values())}
    hosts = dict(enumerate(url.split("/")[2] for url in urls))
    return known_items(links, reasons, of_index, hosts, most, seed)


def priors_of(
    store: Path, held_out: Sequence[tuple[int, int]], pages: IntArray, members: Mapping[int, Sequence[int]], seed: int
) -> tuple[dict[str, FloatArray], dict[str, float]]:
    """Return the priors by system, and the L1 distance of each PageRank from the true one."""
    farm, urls = Farm.read(store), urls_and_titles(store)
    is_shown = np.zeros(farm.page_count, np.bool_)
    is_shown[list(urls[1])] = True
    by_page = {SITE: farm.local_pagerank()}
    web = farm.web(seed)
    for policy in POLICIES:
        for multiple, estimate in zip(MULTIPLES, farm.estimates(web, policy, MULTIPLES, seed), strict=True):
            by_page[estimated(policy, multiple)] = estimate
        said(f"estimated with {policy}")
    by_page[TRUE] = farm.true_pagerank()
    truth = by_page[TRUE] / by_page[TRUE].sum()
    distances = {system: float(np.abs(ranks / ranks.sum() - truth).sum()) for system, ranks in by_page.items()}
    reduced = farm.without(held_out)
    by_page[SITE + REDUCED] = reduced.local_pagerank()
    [estimate] = reduced.estimates(reduced.web(seed), GRAPH_POLICY, MULTIPLES[-1:], seed)
    by_page[estimated(GRAPH_POLICY, MULTIPLES[-1]) + REDUCED] = estimate
    by_page[TRUE + REDUCED] = reduced.true_pagerank()
    by_page["+ in-degree, site alone"] = farm.local_indegree()
    by_page["+ in-degree, whole farm"] = farm.indegree()
    priors = {system: of_documents(ranks, pages, members, is_shown) for system, ranks in by_page.items()}
    for system, values in (("+ URL depth", url_depth(urls[0])), ("+ URL length", url_shortness(urls[0]))):
        priors[system] = values[pages] / values[pages].mean()
    return priors, distances


def estimated(policy: str, multiple: int) -> str:
    """Return the name of a system that uses an estimate."""
    return f"+ estimate, {policy}, {'' if multiple == 1 else multiple}n"


# --- measuring ----------------------------------------------------------------------------------


def measured(
    study: Study, boosts: Boosts, weights: Mapping[str, RankWeights], is_used: NDArray[np.bool_], default: RankWeights
) -> list[Row]:
    """All systems on the queries that are used."""
    items = [item for item, used in zip(study.items, is_used, strict=True) if used]
    found = candidates(study.terms, items, study.pages, boosts)
    ranked = {
        NO_NAMES: positions(candidates(study.terms, items, study.pages, without_names(boosts))),
        TEXT: positions(found),
    }
    for system, prior in study.priors.items():
        ranked[system] = positions(found, rank_part(prior, weights[system]))
    shipped = estimated(GRAPH_POLICY, MULTIPLES[-1])
    ranked[f"{shipped}, weights of settings.toml"] = positions(found, rank_part(study.priors[shipped], default))
    clusters = np.array([item.page for item in items])
    strata = np.array([STRATA.index(item.stratum) for item in items])
    return [row_of(system, places, ranked, clusters, strata) for system, places in ranked.items()]


def row_of(system: str, places: IntArray, ranked: Mapping[str, IntArray], clusters: IntArray, strata: IntArray) -> Row:
    """Return the row of a system, with intervals and comparisons."""
    by_measure = {name: measure(places) for name, measure in MEASURES.items()}
    gains = by_measure["MRR"]
    others = [other for other in (TEXT, SITE) if other != system]
    return Row(
        system,
        len(places),
        {name: mean_interval(values, clusters) for name, values in by_measure.items()},
        {
            stratum: mean_interval(gains[strata == number], clusters[strata == number])
            for number, stratum in enumerate(STRATA)
            if (strata == number).any()
        },
        {other: compare(gains, MEASURES["MRR"](ranked[other]), clusters) for other in others},
    )


# --- telling ------------------------------------------------------------------------------------


def table(rows: Sequence[Row]) -> list[str]:
    """One row a system: means with 95 % intervals, and wins and losses of queries."""
    strata = list(rows[0].by_stratum)
    heads = ["system", *MEASURES, *(f"MRR, {stratum}" for stratum in strata), "against BM25", "against site alone"]
    lines = [f"| {' | '.join(heads)} |", f"|---|{'--:|' * (len(heads) - 1)}"]
    for row in rows:
        cells = [row.system, *(interval(row.measures[name]) for name in MEASURES)]
        cells += [f"{row.by_stratum[stratum].mean:.3f}" for stratum in strata]
        cells += [difference(row.against.get(other)) for other in (TEXT, SITE)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def interval(value: Interval) -> str:
    """Return an interval as text."""
    return f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


def difference(value: Comparison | None) -> str:
    """Return a comparison as text, "" for None."""
    if value is None:
        return ""
    found = value.difference
    return f"{found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}], {value.wins}:{value.losses}, p {value.p:.2g}"


def said(text: str) -> None:
    """Print progress with the seconds so far to stderr."""
    print(f"{perf_counter() - _STARTED:6.0f} s  {text}", file=sys.stderr, flush=True)


_STARTED = perf_counter()


def training_part(study: Study, seed: int) -> NDArray[np.bool_]:
    """Return which items are for training, shape (q,)."""
    return np.array([is_for_training(item, seed) for item in study.items])


def main() -> None:
    """Prepare the corpora, rank the queries, and print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--work", type=Path, help="where copies and indexes go (default: a temporary folder)")
    parser.add_argument("--queries", type=int, default=4500, help="at most this many per corpus (default 4500)")
    parser.add_argument("--seed", type=int, default=0, help="of all random draws (default 0)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = arguments.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        studies = [
            prepared(name, prefixes, arguments.store, work, arguments.queries, arguments.seed)
            for name, prefixes in CORPORA.items()
        ]
        report(studies, arguments)


def report(studies: Sequence[Study], arguments: argparse.Namespace) -> None:
    """Print and write the tables."""
    first = studies[0]
    training = training_part(first, arguments.seed)
    learned = [item for item, used in zip(first.items, training, strict=True) if used]
    default = RankWeights(SearchSettings().rank_weight, RANK_HALF, RANK_EXPONENT)
    boosts = {
        "boosts of settings.toml": BOOSTS,
        "boosts chosen on the training part": tuned_boosts(first.terms, learned, first.pages, BOOSTS),
    }
    lines, results = list[str](), dict[str, Any]()
    for kind, used_boosts in boosts.items():
        said(kind)
        found = candidates(first.terms, learned, first.pages, used_boosts)
        weights = {system: tuned(found, prior) for system, prior in first.priors.items() if REDUCED not in system}
        # The same as with all links, or the comparison would be one of weights.
        weights |= {system: weights[system.removesuffix(REDUCED)] for system in first.priors if REDUCED in system}
        heading = [f"## {kind[0].upper()}{kind[1:]}", "", f"`{json.dumps(used_boosts)}`", ""]
        lines += [*heading, *weights_table(weights, first)]
        results[kind] = {"boosts": used_boosts, "weights": {name: asdict(each) for name, each in weights.items()}}
        for study in studies:
            used = ~training if study is first else np.ones(len(study.items), np.bool_)
            rows = measured(study, used_boosts, weights, used, default)
            lines += ["", f"### {study.name}: {rows[0].queries:,} queries", "", *table(rows)]
            results[kind][study.name] = [asdict(row) for row in rows]
        lines.append("")
    lines += ["## Queries", ""]
    for study in studies:
        strata = Counter(item.stratum for item in study.items)
        outside = sum(item.is_outside for item in study.items)
        lines.append(f"- {study.name}: {dict(strata)}, {outside} from other hosts only; {dict(study.counts)}")
        results[study.name] = {"counts": dict(study.counts), "strata": dict(strata), "l1": dict(study.distances)}
    lines += ["", "## L1 distance from the true PageRank of the domain", "", *distance_table(studies)]
    text = "\n".join(lines) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1), encoding="utf-8")


def weights_table(weights: Mapping[str, RankWeights], study: Study) -> list[str]:
    """Return the table of chosen weights."""
    lines = [f"| prior (chosen on the training part of {study.name}) | w | k | a |", "|---|--:|--:|--:|"]
    return lines + [
        f"| {name} | {each.weight:g} | {each.half:g} | {each.exponent:g} |" for name, each in weights.items()
    ]


def distance_table(studies: Sequence[Study]) -> list[str]:
    """Return the table of distances between PageRanks."""
    lines = [f"| PageRank | {' | '.join(study.name for study in studies)} |", f"|---|{'--:|' * len(studies)}"]
    return lines + [
        f"| {system} | {' | '.join(f'{study.distances[system]:.4f}' for study in studies)} |"
        for system in studies[0].distances
    ]


if __name__ == "__main__":
    main()
