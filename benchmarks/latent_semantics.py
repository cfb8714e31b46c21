"""Would vectors trained on the crawl itself find what words miss? Latent semantic analysis beside BM25 and PageRank.

    python -m benchmarks.latent_semantics STORE --name small --work FOLDER [--dimensions 200]

Queries are known items by the words of links of which one half of who links is held out (`link_evidence.py`, whose
indexes are used again); the paraphrases are those of whose words none stands in the title of the answer. Vectors:
tf-idf of titles (three times), descriptions and main content, cut to some dimensions by a singular value decomposition
(Deerwester et al., JASIS 1990). Two ways to use them: the reciprocal ranks of both lists (Cormack, Clarke & Buettcher,
SIGIR 2009), and the cosine added to the score of the best by text, times several weights.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import svds

from benchmarks.link_evidence import Experiment, FloatArray, IntArray, shipped
from benchmarks.link_queries import KNOWN, LinkQuery, anchor_queries
from benchmarks.reranking import candidates
from benchmarks.retrieval import difference
from benchmarks.retrieval_measures import compare
from hinterland.search.index.index_folder import IndexFolder
from hinterland.search.index.scoring import BOOSTS
from hinterland.search.ranking import rank_part
from hinterland.search.store.document_store import document_store

WEIGHTS: Final = (0.5, 1.0, 2.0, 4.0, 8.0)
_CHARACTERS: Final = 20_000
_LEAST_DOCUMENTS: Final = 3
_MOST_SHARE: Final = 0.5
_LIST: Final = 200
_RANKS: Final = 60
"""The constant of the reciprocal ranks, as published."""
_WORD: Final = re.compile(r"[a-z][a-z0-9_]{2,}")


class LatentVectors:
    """Vectors of documents, shape (documents, dimensions), each of length 1, and of queries."""

    def __init__(self, texts: Sequence[str], dimensions: int) -> None:
        counts = [Counter(_WORD.findall(text.lower())) for text in texts]
        documents = Counter(word for each in counts for word in each)
        kept = (word for word, n in documents.items() if _LEAST_DOCUMENTS <= n < _MOST_SHARE * len(texts))
        self._columns = {word: column for column, word in enumerate(sorted(kept))}
        self._idf = np.log(len(texts) / np.array([documents[word] for word in self._columns], np.float64))
        rows, columns, values = [], [], []
        for row, each in enumerate(counts):
            for word, count in each.items():
                if (column := self._columns.get(word)) is not None:
                    rows.append(row)
                    columns.append(column)
                    values.append((1 + np.log(count)) * self._idf[column])
        weights = csr_matrix((values, (rows, columns)), shape=(len(texts), len(self._columns)))
        lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
        left, sizes, self._right = svds(diags(1 / np.maximum(lengths, 1e-9)) @ weights, k=dimensions, random_state=0)
        scaled = left * sizes
        self._documents = scaled / np.maximum(np.linalg.norm(scaled, axis=1, keepdims=True), 1e-9)

    def cosines(self, query: str) -> FloatArray:
        """With each document."""
        columns = [self._columns[word] for word in _WORD.findall(query.lower()) if word in self._columns]
        vector = self._right[:, columns] @ self._idf[columns]
        return np.asarray(self._documents @ (vector / max(float(np.linalg.norm(vector)), 1e-9)), np.float64)


def texts_of(folder: IndexFolder, pages: Sequence[int]) -> list[str]:
    texts = []
    with document_store(folder.documents) as store:
        for start in range(0, len(pages), 500):
            known = store.documents(pages[start : start + 500])
            found = (known[page] for page in pages[start : start + 500])
            texts += [f"{3 * (each.title + ' ')}{each.description} {each.text[:_CHARACTERS]}" for each in found]
    return texts


def reciprocal(order: IntArray, answer: int) -> float:
    places = np.flatnonzero(order == answer)
    return 1 / (1 + int(places[0])) if len(places) else 0.0


def fused(first: IntArray, second: IntArray) -> IntArray:
    scores: defaultdict[int, float] = defaultdict(float)
    for ranked in (first[:_LIST], second[:_LIST]):
        for rank, place in enumerate(ranked.tolist(), 1):
            scores[place] += 1 / (_RANKS + rank)
    return np.array(sorted(scores, key=lambda place: -scores[place]), np.int64)


def report(queries: Sequence[LinkQuery], gains: dict[str, list[float]]) -> None:
    for group in ("", *sorted({query.group for query in queries})):
        is_used = np.array([not group or query.group == group for query in queries])
        pages = np.array([query.page for query in queries])[is_used]
        words = np.array(gains["words"])[is_used]
        print(f"{group or 'all'}: {is_used.sum()} queries, MRR {words.mean():.4f}")
        for system, values in gains.items():
            change = compare(np.array(values)[is_used], words, pages)
            print(f"  {system:12} {difference(change)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--name", required=True, help="of the corpus, which its indexes have")
    parser.add_argument("--work", type=Path, required=True, help="where indexes are")
    parser.add_argument("--dimensions", type=int, default=200)
    given = parser.parse_args()
    experiment = Experiment(given.name, given.store, given.work, 0)
    indexed = experiment.indexed("half", experiment.held_out())
    asked = anchor_queries(experiment.links(), experiment.linkers, experiment.titles(), 1_800, 0)
    pages = indexed.pages.tolist()
    queries = [query for query in asked if query.page in set(pages) and query.kind == KNOWN]
    vectors = LatentVectors(texts_of(IndexFolder(given.work / f"{given.name}-half.index"), pages), given.dimensions)
    base = BOOSTS
    weighting = shipped(base)["+ both"]
    found = candidates(indexed.terms, queries, indexed.pages, weighting.boosts(base))
    prior = rank_part(indexed.prior, weighting.ranks)
    gains: dict[str, list[float]] = defaultdict(list)
    for number in range(len(queries)):
        places = found.places[number][found.places[number] >= 0]
        scores = found.scores[number][: len(places)] + prior[places]
        by_words = places[np.argsort(-scores, kind="stable")]
        cosines, answer = vectors.cosines(queries[number].query), int(found.answers[number])
        by_vectors = np.argsort(-cosines, kind="stable")[:_LIST]
        gains["words"].append(reciprocal(by_words, answer))
        gains["vectors"].append(reciprocal(by_vectors, answer))
        gains["both ranks"].append(reciprocal(fused(by_words, by_vectors), answer))
        for weight in WEIGHTS:
            mixed = places[np.argsort(-scores - weight * cosines[places], kind="stable")]
            gains[f"+ {weight:g} cosine"].append(reciprocal(mixed, answer))
    report(queries, gains)


if __name__ == "__main__":
    main()
