"""How many snippets are menus: those of pages that mark their content themselves, compared with that content.

    python -m benchmarks.snippets STORE INDEX [--queries 1000] [--seed 7]

A query is, in turn, the title of a page and five words in a row from its middle; pages are drawn at random. The first
three hits are looked at if their pages have a `<main>`, an `<article>` or a `role=main`. A snippet counts as a menu if
more than half of what it says, in threes of words, is not said in there.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from benchmarks.main_content import marked_content, words_of
from benchmarks.questions import texts
from hinterland.search.answers import QueryError
from hinterland.search.index.searcher import SearchIndex
from hinterland.storage.reading.opening import reading

_HITS = 3
_FEWEST_WORDS = 40
_IN_A_ROW = 3


def queries(documents: Sequence[tuple[str, str, str]], random: np.random.Generator) -> Iterator[str]:
    """Yield titles and words in a row, in turn, of documents in a random order."""
    for number, place in enumerate(random.permutation(len(documents)).tolist()):
        _, title, text = documents[place]
        words = words_of(text)
        if len(words) < _FEWEST_WORDS:
            continue
        middle = len(words) // 2
        yield title if number % 2 and title else " ".join(words[middle : middle + 5])


def outside_share(snippet: str, content: str) -> float:
    """Return which share of the threes of words of a snippet are not in a content; 0 for shorter snippets."""
    inside = f" {' '.join(words_of(content))} "
    threes = [
        " ".join(words[place : place + _IN_A_ROW])
        for part in snippet.split("…")
        for words in [words_of(part)[1:-1]]  # without words that may be cut
        for place in range(len(words) - _IN_A_ROW + 1)
    ]
    return sum(f" {three} " not in inside for three in threes) / max(len(threes), 1)


def main() -> None:
    """Count, and print the share with examples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    index = SearchIndex.open(given.index)
    looked_at, menus = 0, list[str]()
    asked = queries(list(texts(index)), np.random.default_rng(given.seed))
    with reading(given.store) as stored:
        for query in islice(asked, given.queries):
            try:
                hits = index.search(query, limit=_HITS).hits
            except QueryError:
                continue
            for hit in hits:
                body = stored.pages.body(hit.page)
                content = None if body is None else marked_content(body)
                if content is None or not hit.snippet_text:
                    continue
                looked_at += 1
                if outside_share(hit.snippet_text, content) > 0.5:
                    menus.append(f"{hit.url}: {' '.join(hit.snippet_text.split())[:120]}")
    print("\n".join(menus))
    print(f"{looked_at} snippets, {len(menus)} of them menus: {len(menus) / max(looked_at, 1):.1%}")


if __name__ == "__main__":
    main()
