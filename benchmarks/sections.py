"""Does a hit name the section that answers? Queries from headings, and from what stands below them.

    python -m benchmarks.sections INDEX [--queries 200] [--seed 1] [--show | --cost FOLDER]

Headings are drawn at random: of the second to the fourth level, with an anchor,
of two words or more, on one page of the index only, and not like its title. Each gives two queries: its words, and, as
somebody would ask who does not know it, the five rarest words of the text below it that the heading lacks. A query is
answered if the first hit is the page of the heading, or a copy of it, and names the section.

With --cost, the same queries are sent to the index and, in turns, to a copy of it in FOLDER that has no sections. The
CPU time of ten hits with their snippets is printed for both, and how large they are.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time
from typing import Final

import numpy as np

from hinterland.search.index.searcher import SearchIndex
from hinterland.search.sections import from_stored

_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_LEVELS: Final = (2, 3, 4)
_LEAST_BELOW: Final = 12
"""Words that stand below a heading at least, so that they can be asked for."""
_ASKED: Final = 5


@dataclass(frozen=True, slots=True)
class Wanted:
    """A section, and the queries that it answers."""

    url: str
    anchor: str
    heading: str
    below: str


def sections_to_ask_for(index: SearchIndex, queries: int, seed: int) -> list[Wanted]:
    """Return the drawn sections of an index."""
    found, on_pages, rarity = list[tuple[str, str, str, str, str]](), Counter[str](), Counter[str]()
    pages = index.state.terms.known()[0].tolist()
    with index.documents() as documents:
        for start in range(0, len(pages), 200):
            for document in documents.documents(pages[start : start + 200]).values():
                sections = from_stored(document.sections)
                rarity.update({word.lower() for word in _WORDS.findall(document.text)})
                on_pages.update(each.heading.casefold() for each in sections)
                ends = [*(each.offset for each in sections), len(document.text)][1:]
                for each, end in zip(sections[1:], ends[1:], strict=True):  # the first may be the name of the page
                    if each.anchor and each.level in _LEVELS and len(_WORDS.findall(each.heading)) > 1:
                        below = document.text[each.offset + len(each.heading) : end]
                        found.append((document.url, document.title, each.anchor, each.heading, below))
    Random(seed).shuffle(found)
    chosen = list(_chosen(found, on_pages, rarity))
    return chosen[:queries]


def _chosen(
    found: Sequence[tuple[str, str, str, str, str]], on_pages: Counter[str], rarity: Counter[str]
) -> Iterator[Wanted]:
    for url, title, anchor, heading, below in found:
        words = dict.fromkeys(word.lower() for word in _WORDS.findall(below))
        asked = [word for word in words if word not in heading.lower() and rarity[word] > 1]
        if len(words) >= _LEAST_BELOW and on_pages[heading.casefold()] == 1 and heading.lower() not in title.lower():
            yield Wanted(url, anchor, heading, " ".join(sorted(asked, key=rarity.__getitem__)[:_ASKED]))


def print_cost(index: SearchIndex, path: Path, plain: Path, queries: Sequence[str], rounds: int = 3) -> None:
    """Print the CPU time of ten hits with and without sections, and the sizes of both indexes."""
    shutil.copytree(path, plain)
    with closing(sqlite3.connect(path / "documents.db")) as before:
        rows = before.execute("SELECT count(*), sum(sections != ''), sum(length(sections)) FROM digest").fetchone()
    with closing(sqlite3.connect(plain / "documents.db", isolation_level=None)) as copy:
        copy.execute("UPDATE digest SET sections = ''")
        copy.execute("VACUUM")
    indexes = {"with": index, "without": SearchIndex.open(plain)}
    spent = {name: np.full((len(queries), rounds), np.inf) for name in indexes}
    for turn in range(rounds):
        for number, query in enumerate(queries):
            names = list(indexes)
            for name in names if (turn + number) % 2 else names[::-1]:
                began = process_time()
                indexes[name].search(query, limit=10)
                spent[name][number, turn] = process_time() - began
    least = {name: each.min(axis=1) * 1000 for name, each in spent.items()}
    print(f"{rows[0]:,} documents, {rows[1]:,} with sections, {rows[2] / 1e6:.1f} MB of JSON; {len(queries)} queries")
    sizes = {
        name: sum(file.stat().st_size for file in folder.rglob("*"))
        for name, folder in (("with", path), ("without", plain))
    }
    for name, each in least.items():
        middle, high = np.percentile(each, (50, 95))
        print(f"{name:>8} sections: {middle:.2f} ms at p50, {high:.2f} at p95, {sizes[name] / 1e6:.1f} MB")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print, by the form of the query, the share of sections found, and of pages found; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("index", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the queries that were not answered")
    parser.add_argument("--cost", type=Path, metavar="FOLDER", help="measure what sections cost; makes this folder")
    given = parser.parse_args(arguments)
    index = SearchIndex.open(given.index)
    wanted = sections_to_ask_for(index, given.queries, given.seed)
    print(f"{len(wanted)} sections")
    if given.cost is not None:
        print_cost(
            index, given.index, given.cost, [each.replace('"', " ") for w in wanted for each in (w.heading, w.below)]
        )
        return 0
    for form, queries in (("heading", [w.heading for w in wanted]), ("text below", [w.below for w in wanted])):
        right = of_page = 0
        for each, query in zip(wanted, queries, strict=True):
            hits = index.search(query.replace('"', " "), limit=1).hits
            is_page = bool(hits) and hits[0].url == each.url
            is_right = is_page and hits[0].anchor == each.anchor
            right, of_page = right + is_right, of_page + is_page
            if given.show and not is_right:
                got = f"{hits[0].section!r} of {hits[0].url}" if hits else "nothing"
                print(f"  {query!r}: {each.heading!r} of {each.url}, not {got}")
        shares = right / len(wanted), of_page / len(wanted), right / max(of_page, 1)
        print(f"{form:>10}: section first {shares[0]:.3f}, page first {shares[1]:.3f}, of these {shares[2]:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
