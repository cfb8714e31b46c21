"""When do links help to find a page? Text alone, with PageRank, with the words of links, and with both.

    python -m benchmarks.link_evidence FULL --small SMALL --full-root ROOT --work FOLDER [--markdown FILE]

FULL and SMALL are finished crawls of the webfarm's sets, bodies kept; ROOT is where the full set was built. Queries and
what is held out for them: `link_queries.py`, `registered_manuals.py`. Words of links are asked for on three corpora:
the small set, and the two local domains of `retrieval.py`. Of each an index is made with all links, one without those
of the half that is held out, and one in which only the right answers lose them; weights that were chosen on one corpus
are used on the others. Front pages are asked for on the full set, with all links; there weights are chosen on the
queries whose answers lie on half of the hosts, and used for those of the other.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.farm import add_farm_options
from benchmarks.known_items import query_words, why_not
from benchmarks.link_queries import (
    KNOWN,
    NAME,
    TITLE,
    Link,
    Linkers,
    LinkQuery,
    anchor_queries,
    entry_queries,
    half,
)
from benchmarks.rank_priors import Farm, of_documents
from benchmarks.registered_manuals import PROJECTS, first_seeds, manuals
from benchmarks.reranking import (
    EXPONENTS,
    HALVES,
    WEIGHTS,
    Candidates,
    candidates,
    field_scores,
    positions,
    without_anchors,
)
from benchmarks.retrieval import CORPORA, difference, interval
from benchmarks.retrieval_measures import compare, mean_interval, reciprocal_rank
from benchmarks.store_reading import local_anchors, make_local, urls_and_titles
from hinterland.crawler.settings import SearchSettings
from hinterland.search.index.building import build
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.scoring import BOOSTS, RANK_EXPONENT, RANK_HALF
from hinterland.search.ranking import RankWeights, rank_part
from hinterland.search.store.terms import SearchTerms
from hinterland.search.store.values.term_query import ANCHORS, Boosts

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

NO_LINKS: Final = "text alone"
SYSTEMS: Final = (NO_LINKS, "+ PageRank", "+ anchors", "+ both")
INSIDE: Final = (0.0, 0.1, 0.2, 0.4, 0.75, 1.5, 3.0)
OUTSIDE: Final = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
POOL: Final = 200
ALL, HALF, ANSWERS_ONLY = "nothing held out", "a half of who links held out", "only the answers lose it"


@dataclass(frozen=True, slots=True)
class Weighting:
    """What links count: boosts of the words of links, and weights of PageRank."""

    inside: float
    outside: float
    ranks: RankWeights

    def boosts(self, base: Boosts) -> Boosts:
        return {**base, "anchors_inside": self.inside, "anchors_outside": self.outside}


@dataclass(frozen=True, eq=False)
class Indexed:
    """An index, ready to be ranked. prior: PageRank by the links that it knows, in multiples of the average."""

    terms: SearchTerms
    pages: IntArray
    prior: FloatArray


class Experiment:
    """The store with its links, and the indexes made of it."""

    def __init__(self, name: str, store: Path, work: Path, seed: int) -> None:
        self.name = name
        self._store = store
        self._work = work
        self.full = self._folder("all")
        if not self.full.manifest.exists():
            self.full.path.mkdir(parents=True, exist_ok=True)
            build(store, self.full)
        self._farm = Farm.read(store)
        self.urls, self._titles = urls_and_titles(store)
        self.linkers = Linkers(self.urls, seed)
        self._by_url = {url: page for page, url in enumerate(self.urls)}
        self._members: dict[int, list[int]] = {}
        with closing(sqlite3.connect(f"file:{self.full.documents}?mode=ro", uri=True)) as connection:
            for page, copies in connection.execute("SELECT page, copies FROM document"):
                self._members[page] = [self._by_url[url] for url in json.loads(copies)]
        self._item = {member: page for page, members in self._members.items() for member in (page, *members)}
        said(f"{name}: {len(self._members):,} documents")

    def document_at(self, url: str) -> int | None:
        """The document that a URL leads to."""
        return self._item.get(self._by_url.get(url, -1))

    def documents(self) -> dict[int, str]:
        return {page: self.urls[page] for page in self._members}

    def titles(self) -> dict[int, str]:
        return {page: self._titles.get(page, "") for page in self._members}

    def links(self) -> Iterable[Link]:
        """With words of which a query could be made."""
        known: dict[str, str] = {}
        for source, target, anchor in local_anchors(self._store):
            if anchor not in known:
                known[anchor] = "" if why_not(anchor) else query_words(anchor)
            if words := known[anchor]:
                yield Link(source, target, self._item.get(target, target), words)

    def held_out(self, answers: frozenset[int] | None = None) -> list[tuple[int, int]]:
        """Links of those that are drawn; answers: only to these."""
        return sorted(
            {
                (source, target)
                for source, target, _ in local_anchors(self._store)
                if self.linkers.is_held_out(source, target) and (answers is None or self._item.get(target) in answers)
            }
        )

    def indexed(self, name: str, held_out: Sequence[tuple[int, int]]) -> Indexed:
        """Without some links."""
        folder = self.full
        if held_out:
            folder = self._folder(name)
            if not folder.path.exists():
                shutil.copytree(self.full.path, folder.path)
                build(self._store, folder, left_out=held_out)
        terms = SearchTerms.open(folder.terms, folder.read_manifest().languages)
        pages = np.sort(terms.known()[0])
        farm = self._farm.without(held_out) if held_out else self._farm
        is_shown = np.zeros(farm.page_count, np.bool_)
        is_shown[list(self._titles)] = True
        prior = of_documents(farm.true_pagerank(), pages, self._members, is_shown)
        said(f"{self.name}, {name}: {len(pages):,} documents, {len(held_out):,} links held out")
        return Indexed(terms, pages, prior)

    def _folder(self, name: str) -> IndexFolder:
        return IndexFolder(self._work / f"{self.name}-{name}.index")


# --- queries -----------------------------------------------------------------------------------


def front_page_queries(experiment: Experiment, root: Path, sites: Path) -> list[LinkQuery]:
    """Titles of manuals and names of projects, each asked for its front page."""
    by_title: dict[str, set[str]] = {}
    for manual in manuals(root, sites):
        by_title.setdefault(query_words(manual.title), set()).add(manual.url)
    asked = [(TITLE, title, *urls) for title, urls in by_title.items() if len(urls) == 1]
    asked += [(NAME, PROJECTS[host], url) for host, url in first_seeds(sites).items()]
    found = []
    for kind, query, url in asked:
        page = experiment.document_at(url)
        if page is not None:
            found.append(LinkQuery(kind, query, page, url.split("/")[2]))
    return found


# --- choosing weights --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scored:
    """The best by text of some queries with their scores by field, to try weights on. kinds: shape (q,)."""

    found: Candidates
    by_field: Mapping[str, FloatArray]
    prior: FloatArray
    kinds: NDArray[np.str_]

    @classmethod
    def of(cls, indexed: Indexed, queries: Sequence[LinkQuery], base: Boosts) -> Scored:
        found = candidates(indexed.terms, queries, indexed.pages, base, POOL)
        parts = {"rest": without_anchors(base), **{field: {field: 1.0} for field in ANCHORS}}
        by_field = field_scores(indexed.terms, queries, indexed.pages, found, parts)
        return cls(found, by_field, indexed.prior, np.array([query.kind for query in queries]))

    def gains(self, weighting: Weighting) -> dict[str, float]:
        """MRR by kind."""
        scores = self.by_field["rest"] + weighting.inside * self.by_field["anchors_inside"]
        scores = scores + weighting.outside * self.by_field["anchors_outside"]
        shown = np.where(self.found.places >= 0, scores, -np.inf)
        ranked = Candidates(self.found.places, shown, self.found.matches, self.found.answers)
        gains = reciprocal_rank(positions(ranked, rank_part(self.prior, weighting.ranks)))
        return {str(kind): float(gains[self.kinds == kind].mean()) for kind in np.unique(self.kinds)}


def chosen(parts: Sequence[Scored], *, anchors: bool, ranks: bool) -> Weighting:
    """The weights with the best mean of the MRRs of all kinds, anchors first, then PageRank, then anchors again."""
    best = Weighting(0.0, 0.0, RankWeights(0.0, 1.0, 1.0))
    reached = _mean(parts, best)
    for turn in range(2):
        tried = [Weighting(*pair, best.ranks) for pair in product(INSIDE, OUTSIDE)] if anchors else []
        best, reached = _best(parts, tried, best, reached)
        every = product(WEIGHTS[1:], HALVES, EXPONENTS) if ranks else ()
        best, reached = _best(
            parts, [Weighting(best.inside, best.outside, RankWeights(*each)) for each in every], best, reached
        )
        if not (anchors and ranks) or turn:
            break
    return best


def _best(
    parts: Sequence[Scored], tried: Iterable[Weighting], best: Weighting, reached: float
) -> tuple[Weighting, float]:
    for weighting in tried:
        if (mean := _mean(parts, weighting)) > reached + 1e-6:
            best, reached = weighting, mean
    return best, reached


def _mean(parts: Sequence[Scored], weighting: Weighting) -> float:
    return float(np.mean([gain for part in parts for gain in part.gains(weighting).values()]))


# --- measuring ---------------------------------------------------------------------------------


def ranked(
    indexed: Indexed, queries: Sequence[LinkQuery], base: Boosts, weightings: Mapping[str, Weighting]
) -> dict[str, FloatArray]:
    """The reciprocal rank of each query, by system."""
    found: dict[tuple[float, float], Candidates] = {}
    gains = {}
    for system, weighting in weightings.items():
        pair = weighting.inside, weighting.outside
        if pair not in found:
            found[pair] = candidates(indexed.terms, queries, indexed.pages, weighting.boosts(base))
        gains[system] = reciprocal_rank(positions(found[pair], rank_part(indexed.prior, weighting.ranks)))
    return gains


def shipped(base: Boosts) -> dict[str, Weighting]:
    """By system, as settings.toml has them."""
    ranks = RankWeights(SearchSettings().rank_weight, RANK_HALF, RANK_EXPONENT)
    none = RankWeights(0.0, 1.0, 1.0)
    inside, outside = base["anchors_inside"], base["anchors_outside"]
    of_system = ((0.0, 0.0, none), (0.0, 0.0, ranks), (inside, outside, none), (inside, outside, ranks))
    return {system: Weighting(*each) for system, each in zip(SYSTEMS, of_system, strict=True)}


def table(queries: Sequence[LinkQuery], gains: Mapping[str, FloatArray], reference: str = NO_LINKS) -> list[str]:
    """A row for each system and kind, and each group of a kind; intervals are over hosts, of known items over pages."""
    lines = [f"| queries | | system | MRR | against {reference} |", "|---|--:|---|--:|--:|"]
    wanted = dict.fromkeys([(query.kind, "") for query in queries] + [(query.kind, query.group) for query in queries])
    for kind, group in wanted:
        is_used = np.array([query.kind == kind and (not group or query.group == group) for query in queries])
        used = [query for query, is_in in zip(queries, is_used, strict=True) if is_in]
        names: dict[str, int] = {}
        by_host = np.array([names.setdefault(query.host, len(names)) for query in used])
        clusters = np.array([query.page for query in used]) if kind == KNOWN else by_host
        for system, values in gains.items():
            mrr = mean_interval(values[is_used], clusters)
            against = compare(values[is_used], gains[reference][is_used], clusters) if system != reference else None
            label = f"{kind}, {group}" if group else f"**{kind}**"
            lines.append(f"| {label} | {len(used):,} | {system} | {interval(mrr)} | {difference(against)} |")
    return lines


def said(text: str) -> None:
    print(f"{perf_counter() - _STARTED:6.0f} s  {text}", file=sys.stderr, flush=True)


_STARTED = perf_counter()


def report(description: str | None, measure: Callable[[argparse.Namespace], list[str]]) -> None:
    """Reads the command line, measures, and prints it and writes it down."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--small", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="where indexes go")
    parser.add_argument("--queries", type=int, default=1800, help="known items of a corpus at most (default 1800)")
    parser.add_argument("--seed", type=int, default=0, help="of all random draws (default 0)")
    parser.add_argument("--markdown", type=Path)
    add_farm_options(parser)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    text = "\n".join(measure(arguments)) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Queries of words of links, and the indexes that they are put to, by what is held out."""

    name: str
    queries: Sequence[LinkQuery]
    indexes: Mapping[str, Indexed]


def corpus_of(experiment: Experiment, most: int, seed: int) -> Corpus:
    queries = anchor_queries(experiment.links(), experiment.linkers, experiment.titles(), most, seed)
    indexes = {
        ALL: experiment.indexed("all", ()),
        HALF: experiment.indexed("half", experiment.held_out()),
        ANSWERS_ONLY: experiment.indexed("answers", experiment.held_out(frozenset(query.page for query in queries))),
    }
    # Without the links held out another page of those folded together may stand for them.
    there = set.intersection(*(set(index.pages.tolist()) for index in indexes.values()))
    queries = [query for query in queries if query.page in there]
    said(f"{experiment.name}: {len(queries):,} queries")
    return Corpus(experiment.name, queries, indexes)


def localised(name: str, store: Path, full: Path, work: Path) -> Path:
    """A copy of a store that has one of the domains of `retrieval.py`. full: its index, whose digests are good here."""
    copy = work / f"{name}.db"
    if not copy.exists():
        shutil.copyfile(store, copy)
        make_local(copy, CORPORA[name])
        folder = IndexFolder(work / f"{name}-all.index")
        folder.path.mkdir(parents=True, exist_ok=True)
        (folder.path / "build.lock").touch()  # as a build that was stopped leaves it
        shutil.copyfile(full / "documents.db", folder.documents)
    return copy


def materials(arguments: argparse.Namespace) -> tuple[list[Corpus], Indexed, list[LinkQuery]]:
    """The corpora; and the full set with the queries for front pages."""
    front = Experiment("full", arguments.store, arguments.work, arguments.seed)
    stores = {"small": arguments.small}
    stores |= {name: localised(name, arguments.store, front.full.path, arguments.work) for name in CORPORA}
    corpora = [
        corpus_of(Experiment(name, store, arguments.work, arguments.seed), arguments.queries, arguments.seed)
        for name, store in stores.items()
    ]
    fronts = front_page_queries(front, arguments.full_root, arguments.webfarm.parent / "sites.conf")
    fronts += entry_queries(front.documents(), arguments.seed)
    return corpora, front.indexed("all", ()), fronts


def measured(arguments: argparse.Namespace) -> list[str]:
    base = BOOSTS
    corpora, indexed, fronts = materials(arguments)
    lines = []
    for corpus in corpora:
        for held_out in (HALF, ANSWERS_ONLY, ALL):
            lines += ["", f"## {corpus.name}, {held_out}: weights of settings.toml", ""]
            lines += table(corpus.queries, ranked(corpus.indexes[held_out], corpus.queries, base, shipped(base)))
        said(corpus.name)
    lines += across(corpora, base)
    lines += ["", "## Front pages: weights of settings.toml", ""]
    lines += table(fronts, ranked(indexed, fronts, base, shipped(base)))
    return lines + with_chosen_weights([(indexed, fronts)], base, arguments.seed)


def across(corpora: Sequence[Corpus], base: Boosts) -> list[str]:
    """Weights chosen on one corpus, with a half held out of everything, used on all others."""
    lines = []
    for learnt in corpora:
        scored = [Scored.of(learnt.indexes[HALF], learnt.queries, base)]
        weightings = chosen_by_system(scored)
        lines += ["", f"## Weights chosen on {learnt.name}", "", *weights_table(weightings)]
        for corpus in corpora:
            if corpus is not learnt:
                lines += ["", f"### used on {corpus.name}", ""]
                lines += table(corpus.queries, ranked(corpus.indexes[HALF], corpus.queries, base, weightings))
        said(f"weights of {learnt.name}")
    return lines


def chosen_by_system(scored: Sequence[Scored]) -> dict[str, Weighting]:
    return {system: chosen(scored, anchors=system in SYSTEMS[2:], ranks=system in SYSTEMS[1::2]) for system in SYSTEMS}


def weights_table(weightings: Mapping[str, Weighting]) -> list[str]:
    lines = ["| system | inside | outside | w | k | a |", "|---|--:|--:|--:|--:|--:|"]
    for system, each in weightings.items():
        weights = f"{each.ranks.weight:g} | {each.ranks.half:g} | {each.ranks.exponent:g}"
        lines.append(f"| {system} | {each.inside:g} | {each.outside:g} | {weights} |")
    return lines


def with_chosen_weights(parts: Sequence[tuple[Indexed, Sequence[LinkQuery]]], base: Boosts, seed: int) -> list[str]:
    """Chosen on the answers of half of the hosts, used for those of the other half, and the other way round."""
    asked: list[LinkQuery] = []
    gains: dict[str, list[FloatArray]] = {system: [] for system in SYSTEMS}
    lines = ["", "## Front pages, weights chosen on other hosts"]
    for fold in (False, True):
        learned = [
            Scored.of(indexed, [query for query in queries if half(seed, query.host) is not fold], base)
            for indexed, queries in parts
        ]
        weightings = chosen_by_system(learned)
        lines += ["", *weights_table(weightings)]
        for indexed, queries in parts:
            used = [query for query in queries if half(seed, query.host) is fold]
            asked += used
            for system, values in ranked(indexed, used, base, weightings).items():
                gains[system].append(values)
        said(f"weights for half {int(fold)}")
    return [*lines, "", *table(asked, {system: np.concatenate(each) for system, each in gains.items()})]


if __name__ == "__main__":
    report(__doc__, measured)
