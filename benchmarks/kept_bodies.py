"""What keeping the bodies of pages costs a store, and what it is worth to its search.

    python -m benchmarks.kept_bodies STORE [--work FOLDER] [--queries 3000] [--markdown FILE]

STORE is a crawl with `storage.keep_bodies`. A copy loses its bodies; both are indexed without the links that queries
are taken from (`known_items.py`), and asked the same. The crawl's part of the cost, one compression a page, is measured
on the bodies themselves.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import process_time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.known_items import STRATA, KnownItem
from benchmarks.reranking import candidates, positions, without_anchors
from benchmarks.retrieval import chosen
from benchmarks.retrieval_measures import MEASURES, compare
from benchmarks.store_reading import opened
from hinterland.search.answers import QueryError
from hinterland.search.index.building import build
from hinterland.search.index.corpus import Corpus
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.scoring import BOOSTS
from hinterland.search.index.searcher import SearchIndex
from hinterland.search.store.document_store import document_store
from hinterland.search.store.terms import SearchTerms
from hinterland.storage.values.compression import unpacked_bytes

_ZSTD_LEVEL: Final = 1
_SAMPLE: Final = 2_000
KINDS: Final = ("bodies", "text alone")


@dataclass(frozen=True, eq=False)
class Indexed:
    """A store with its index. page_of: the document behind each page that is in one."""

    store_bytes: int
    index_bytes: int
    cpu_seconds: float
    terms: SearchTerms
    page_of: Mapping[int, int]


def indexed(store: Path, folder: Path, left_out: Sequence[tuple[int, int]]) -> Indexed:
    """Index a store; of a folder that holds digests, only the rest of the work is measured."""
    index, began = IndexFolder(folder), _cpu_seconds()
    report = build(store, index, left_out=left_out)
    seconds = _cpu_seconds() - began
    terms = SearchTerms.open(index.terms, index.read_manifest().languages)
    return Indexed(store.stat().st_size, report.size_bytes, seconds, terms, documents_behind(store, folder))


def documents_behind(store: Path, folder: Path) -> dict[int, int]:
    """Page -> the page that stands for it in the index."""
    folder.mkdir(parents=True, exist_ok=True)
    with document_store(IndexFolder(folder).documents, store) as documents:
        plan = Corpus(documents).plan()
    behind = {page: page for page in plan.pages.tolist()}
    return behind | {member: page for page, members in plan.members.items() for member in members}


def without_bodies(store: Path, copy: Path) -> None:
    """A store as the same crawl would have left it without them."""
    shutil.copyfile(store, copy)
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("UPDATE content SET body = NULL")
        connection.execute("VACUUM")


def packing_milliseconds(store: Path) -> float:
    """CPU that compressing the body of one page takes, in the mean over a sample."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    with opened(store) as connection:
        rows = connection.execute("SELECT body FROM content WHERE body IS NOT NULL LIMIT ?", (_SAMPLE,))
        bodies = [unpacked_bytes(body) for (body,) in rows]
    packer, began = zstd.ZstdCompressor(level=_ZSTD_LEVEL), process_time()
    for body in bodies:
        packer.compress(body, zstd.ZstdCompressor.FLUSH_FRAME)
    return 1000 * (process_time() - began) / max(len(bodies), 1)


def places_of_answers(index: Indexed, items: Sequence[KnownItem], *, anchors: bool) -> NDArray[np.int64]:
    """Where the right answers come, from 1; 0 for those not found."""
    boosts = BOOSTS if anchors else without_anchors(BOOSTS)
    asked = [replace(item, page=index.page_of.get(item.page, item.page)) for item in items]
    return positions(candidates(index.terms, asked, np.sort(index.terms.known()[0]), boosts))


def names_defined(folder: Path, page_of: Mapping[int, int], most: int) -> list[tuple[str, int]]:
    """Names of code, such as `asyncio.gather`, with the one document that defines each; at random."""
    defining: dict[str, set[int]] = defaultdict(set)
    with closing(sqlite3.connect(IndexFolder(folder).documents)) as connection:
        for page, names in connection.execute("SELECT page, names FROM digest WHERE names <> ''"):
            for name in names.split():
                defining[name].add(page_of.get(page, page))
    single = [(name, next(iter(pages))) for name, pages in defining.items() if len(pages) == 1]
    return random.Random(0).sample(sorted(single), min(most, len(single)))


def places_of_names(index: Indexed, folder: Path, names: Sequence[tuple[str, int]]) -> NDArray[np.int64]:
    """Where the page that defines each name comes, from 1; 0 for those not among the first ten."""
    searcher = SearchIndex.open(folder)
    places = []
    for name, page in names:
        try:
            hits = searcher.ranking(name, 10).pages.tolist()
        except QueryError:  # an option such as -v that no page is known to define only says what not to find
            hits = []
        document = index.page_of.get(page, page)
        places.append(hits.index(document) + 1 if document in hits else 0)
    return np.array(places, np.int64)


def report(store: Path, work: Path, most: int) -> list[str]:
    """The lines of the answer."""
    copy = work / "without.db"
    without_bodies(store, copy)
    behind = documents_behind(store, work / "bodies")
    items = chosen(store, behind, most, 0).items
    held_out = [link for item in items for link in item.held_out]
    for kind in KINDS:
        shutil.rmtree(work / kind, ignore_errors=True)
    found = {kind: indexed(path, work / kind, held_out) for kind, path in zip(KINDS, (store, copy), strict=True)}
    with opened(store) as connection:
        [(pages, packed)] = connection.execute("SELECT count(*), sum(length(body)) FROM content")
    milliseconds = packing_milliseconds(store)
    lines = [
        f"{pages:,} pages; bodies take {packed / pages / 1e3:.1f} KB and {milliseconds:.2f} ms of CPU a page to pack",
        "",
        "| kept | store MB | index MB | index, ms of CPU a page |",
        "|---|--:|--:|--:|",
    ]
    for kind, index in found.items():
        cells = (index.store_bytes / 1e6, index.index_bytes / 1e6, 1e3 * index.cpu_seconds / pages)
        lines.append(f"| {kind} | {cells[0]:.0f} | {cells[1]:.0f} | {cells[2]:.1f} |")
    clusters = np.array([item.page for item in items])
    strata = np.array([item.stratum for item in items])
    for anchors in (True, False):
        lines += ["", f"{len(items):,} known items, {'as shipped' if anchors else 'without the words of links'}:", ""]
        lines += [f"| kept | {' | '.join(MEASURES)} | {' | '.join(f'MRR, {each}' for each in STRATA)} |"]
        lines += ["|---|" + "--:|" * (len(MEASURES) + len(STRATA))]
        places = {kind: places_of_answers(index, items, anchors=anchors) for kind, index in found.items()}
        for kind, where in places.items():
            means = [float(measure(where).mean()) for measure in MEASURES.values()]
            means += [float(MEASURES["MRR"](where[strata == each]).mean()) for each in STRATA]
            lines.append(f"| {kind} | {' | '.join(f'{mean:.3f}' for mean in means)} |")
        gains = [MEASURES["MRR"](places[kind]) for kind in KINDS]
        versus = compare(gains[0], gains[1], clusters)
        mean = versus.difference
        lines.append(
            f"\nBodies against text alone: {mean.mean:+.4f} [{mean.low:+.4f}, {mean.high:+.4f}] MRR,"
            f" {versus.wins}:{versus.losses} queries, p {versus.p:.2g}"
        )
    names = names_defined(work / KINDS[0], found[KINDS[0]].page_of, most)
    lines += ["", f"{len(names):,} names of code that one page defines:", "", f"| kept | {' | '.join(MEASURES)} |"]
    lines += ["|---|" + "--:|" * len(MEASURES)]
    for kind, index in found.items():
        where = places_of_names(index, work / kind, names)
        means = [float(measure(where).mean()) for measure in MEASURES.values()]
        lines.append(f"| {kind} | {' | '.join(f'{mean:.3f}' for mean in means)} |")
    return lines


def _cpu_seconds() -> float:
    usages = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--work", type=Path, help="where the copy and the indexes go (default: a temporary folder)")
    parser.add_argument("--queries", type=int, default=3000, help="at most so many (default 3000)")
    parser.add_argument("--markdown", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = arguments.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        text = "\n".join(report(arguments.store, work, arguments.queries)) + "\n"
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
