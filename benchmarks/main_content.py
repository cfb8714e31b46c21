"""How much of what a page is about is found: F1 of the words on WCXB, and the training of the model.

WCXB (Foley 2026, arXiv 2605.21097; CC BY 4.0) is 2,008 pages of 1,613 domains whose main content was annotated, in two
parts, each with the folders `ground-truth` and `html`. The model is trained on `dev` alone:

    python -m benchmarks.main_content train WCXB --out crawler/parsing/blocks/model_numbers.py
    python -m benchmarks.main_content measure WCXB/test --rivals

Pages of a crawl that mark their main content themselves, as `<main>`, `<article>` or `role=main`, are measured as the
index has them, that is, without the blocks that the pages of a host share:

    python -m benchmarks.main_content marked STORE INDEX --rivals

Rivals are measured if they are installed. Words and snippets are compared as WCXB's own script does.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import re
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
from selectolax.lexbor import LexborHTMLParser

from benchmarks.questions import texts
from hinterland.crawler.parsing.blocks.main_blocks import BETWEEN_BLOCKS, UNIT, main_text
from hinterland.crawler.parsing.charset.encoding import decode, sniff_encoding
from hinterland.crawler.parsing.compiled.element_reader import CompiledReader
from hinterland.crawler.parsing.compiled.reader_building import build_reader
from hinterland.search.index.searcher import SearchIndex
from hinterland.storage.reading.opening import reading

_WORD: Final = re.compile(r"\w+")
_BLOCKS_A_PAGE: Final = 130
_TREES: Final = 90
_LEAVES: Final = 16
_RATE: Final = 0.17
_NO_THRESHOLD: Final = 2**31 - 1
_LINE: Final = 118
_MARKED: Final = "main, article, [role=main]"
_PAGES_A_HOST: Final = 29

Extractor = Callable[[bytes], str]


@dataclass(frozen=True, slots=True)
class AnnotatedPage:
    """A page of WCXB: HTML in UTF-8, and what its annotators wrote down. `wanted` and `unwanted` are snippets."""

    html: bytes
    kind: str
    domain: str
    main: str
    wanted: Sequence[str]
    unwanted: Sequence[str]


def pages(folder: Path) -> Iterator[AnnotatedPage]:
    """Yield the pages of a part of WCXB; those without annotations are left out, as WCXB's own script does."""
    for file in sorted((folder / "ground-truth").glob("*.json")):
        given = json.loads(file.read_text(encoding="utf-8"))
        truth = given.get("ground_truth")
        if not isinstance(truth, dict):
            continue
        body = gzip.decompress((folder / "html" / f"{file.stem}.html.gz").read_bytes())
        kind = given["_internal"]["page_type"]["primary"]
        yield AnnotatedPage(
            decode(body, sniff_encoding(body, None).name).encode("utf-8", "replace"),
            "collection" if kind == "category" else kind,
            urlsplit(given.get("url") or "").hostname or file.stem,
            truth.get("main_content") or "",
            truth.get("with") or (),
            truth.get("without") or (),
        )


# --- measuring ------------------------------------------------------------------------------------


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(text.lower())


def word_f1(found: str, wanted: str) -> float:
    """Return the F1 of the words, each counted as often as it occurs."""
    given, right = Counter(words_of(found)), Counter(words_of(wanted))
    if not right or not given:
        return float(given == right)
    return 2 * (given & right).total() / (given.total() + right.total())


def share_found(text: str, snippets: Sequence[str]) -> float:
    """Return the share of snippets that are in a text, character by character but for case."""
    inside = text.lower()
    return sum(each.lower() in inside for each in snippets) / len(snippets)


@cache
def _reader() -> CompiledReader:
    return CompiledReader(build_reader())


def extractors(*, rivals: bool) -> dict[str, Extractor]:
    """Return the extractors by name."""
    reader = _reader()

    def ours(html: bytes) -> str:
        elements = reader(html, max_anchors=100_000, with_text=True)
        return main_text(elements.text.decode(), elements.main)

    def visible(html: bytes) -> str:
        return reader(html, max_anchors=100_000, with_text=True).text.decode()

    found: dict[str, Extractor] = {"ours": ours, "all visible text": visible}
    if rivals:
        resiliparse = import_module("resiliparse.extract.html2text").extract_plain_text
        found["Resiliparse"] = lambda html: resiliparse(html.decode(), main_content=True, alt_texts=False, links=False)
        try:
            trafilatura = import_module("trafilatura").extract
        except ImportError:
            return found
        found["Trafilatura"] = lambda html: trafilatura(html.decode()) or ""
    return found


def measure(folder: Path, *, rivals: bool) -> None:
    """Print the table of a part of WCXB."""
    known = extractors(rivals=rivals)
    rows: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in known}
    for page in pages(folder):
        for name, extract in known.items():
            began = time.process_time()
            text = extract(page.html)
            row = rows[name]
            row["ms"].append(1000 * (time.process_time() - began))
            for of in ("all", page.kind):
                row[of].append(word_f1(text, page.main))
            for column, snippets in (("wanted", page.wanted), ("left", page.unwanted)):
                if snippets:
                    row[column].append(share_found(text, snippets))
    columns = [
        "all",
        *sorted(key for key in rows["ours"] if key.isalpha() and key not in ("all", "ms", "wanted", "left")),
    ]
    columns += ["wanted", "left", "ms"]
    print("| | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{np.mean(row[column]):.3f}" for column in columns) + " |")
    print({column: len(rows["ours"][column]) for column in columns})


def marked_content(body: bytes) -> str | None:
    """Return the visible text of what a page marks as its main content; None if it marks nothing."""
    marked = LexborHTMLParser(body).css_first(_MARKED)
    if marked is None:
        return None
    return _reader()((marked.html or "").encode(), max_anchors=100_000, with_text=True).text.decode()


def marked_pages(store: Path, index: Path, random: np.random.Generator) -> Iterator[tuple[bytes, str, str]]:
    """Yield (body, marked content, content in the index) for up to _PAGES_A_HOST pages of each host that has some."""
    indexed = {url: text for url, _, text in texts(SearchIndex.open(index))}
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in sorted(indexed):
        by_host[urlsplit(url).hostname or ""].append(url)
    with reading(store) as stored:
        for urls in by_host.values():
            found = 0
            for place in random.permutation(len(urls)).tolist():
                number = stored.pages.number_of(urls[place])
                body = None if number is None else stored.pages.body(number)
                wanted = None if body is None else marked_content(body)
                if body is not None and wanted is not None and found < _PAGES_A_HOST:
                    found += 1
                    yield body, wanted, indexed[urls[place]]


def measure_marked(store: Path, index: Path, *, rivals: bool) -> None:
    """Print the F1 of the words of pages that mark their main content."""
    known = extractors(rivals=rivals)
    found: dict[str, list[float]] = defaultdict(list)
    for body, wanted, in_index in marked_pages(store, index, np.random.default_rng(1)):
        found["in the index"].append(word_f1(in_index, wanted))
        for name, extract in known.items():
            found[name].append(word_f1(extract(body), wanted))
    for name, values in found.items():
        print(f"| {name} | {np.mean(values):.3f} | {len(values)} pages")


# --- training -------------------------------------------------------------------------------------


def aligned(found: Sequence[str], wanted: Sequence[str]) -> list[bool]:
    """Return which words of a page are part of a longest common subsequence with the annotated ones (Hyyrö 2004)."""
    places: dict[str, int] = defaultdict(int)
    for place, word in enumerate(found):
        places[word] |= 1 << place
    full = (1 << len(found)) - 1
    row, rows = full, []
    for word in wanted:
        both = row & places.get(word, 0)
        row = ((row + both) | (row - both)) & full
        rows.append(row)
    hits = [False] * len(found)
    left, place = len(rows), len(found)
    while left and place:
        if rows[left - 1] >> (place - 1) & 1:
            place -= 1
            continue
        left -= 1
        if not left or rows[left - 1] >> (place - 1) & 1:
            place -= 1
            hits[place] = True
    return hits


@dataclass(frozen=True, slots=True)
class TrainingBlocks:
    """Blocks drawn from pages: their numbers, shape (k, n), whether they are main content, weights, parts by domain."""

    numbers: Any
    is_main: Any
    weights: Any
    parts: Any


def training_blocks(folder: Path) -> TrainingBlocks:
    """Return blocks of all pages, weighted so that pages count alike and a block by the root of its words."""
    reader, random = CompiledReader(build_reader()), np.random.default_rng(1)
    numbers, is_main, weights, parts = [], [], [], []
    for page in pages(folder):
        text, packed = reader.block_numbers(page.html)
        if not packed:
            continue
        blocks = [words_of(block) for block in text.decode().split(BETWEEN_BLOCKS)]
        hits = iter(aligned([word for block in blocks for word in block], words_of(page.main)))
        found = [sum(next(hits) for _ in block) for block in blocks]
        sizes = np.array([len(block) for block in blocks])
        weight = np.where(sizes > 0, np.sqrt(sizes) + 0.5, 0)
        share = min(1.0, _BLOCKS_A_PAGE / len(blocks))
        drawn = (random.random(len(blocks)) < share) & (sizes > 0)
        numbers.append(np.frombuffer(packed, np.int32).reshape(len(blocks), -1)[drawn])
        is_main.append((2 * np.array(found) > sizes)[drawn])
        weights.append((100 * weight / max(weight.sum(), 1) / share)[drawn])
        parts.append(np.full(drawn.sum(), zlib.crc32(page.domain.encode()) % 4))
    return TrainingBlocks(*(np.concatenate(each) for each in (numbers, is_main, weights, parts)))


def train(folder: Path, out: Path) -> None:
    """Train the trees on the development part and write them as numbers."""
    ensemble = import_module("sklearn.ensemble")
    blocks = training_blocks(folder / "dev")
    model = ensemble.HistGradientBoostingClassifier(
        max_iter=_TREES, max_leaf_nodes=_LEAVES, learning_rate=_RATE, min_samples_leaf=30, l2_regularization=5,
        early_stopping=False, max_bins=128, random_state=0, max_features=0.4,
    )  # fmt: skip
    model.fit(blocks.numbers.astype(np.float32), blocks.is_main, sample_weight=blocks.weights)
    first = round(float(model._baseline_prediction.ravel()[0]) * UNIT)
    trees = [" ".join(_node(node) for node in grown[0].nodes) for grown in model._predictors]
    head, _, rest = out.read_text(encoding="utf-8").partition("FIRST: Final = ")
    between = rest.partition("\n")[2].partition('TREES: Final = """\n')[0]
    tail = rest.partition('TREES: Final = """\n')[2].partition('\n"""\n')[2]
    lines = _lines(" ;\n".join(trees).split())
    told = f'FIRST: Final = {first}\n{between}TREES: Final = """\n{lines}\n"""\n{tail}'
    out.write_text(head + told, encoding="utf-8")
    print(f"{len(trees)} trees from {len(blocks.is_main):,} blocks")


def _node(node: Any) -> str:
    if node["is_leaf"]:
        return f"-1 {round(float(node['value']) * UNIT)} 0 0"
    threshold = float(node["num_threshold"])
    whole = math.floor(threshold) if math.isfinite(threshold) else _NO_THRESHOLD
    return f"{node['feature_idx']} {whole} {node['left']} {node['right']}"


def _lines(tokens: Sequence[str]) -> str:
    lines = [""]
    for token in tokens:
        if len(lines[-1]) + 1 + len(token) > _LINE:
            lines.append(token)
        else:
            lines[-1] = f"{lines[-1]} {token}".strip()
    return "\n".join(lines)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("train", "measure", "marked"))
    parser.add_argument(
        "folder", type=Path, help="of WCXB for train, of one of its parts for measure; a store for marked"
    )
    parser.add_argument("index", type=Path, nargs="?", help="the index of that store")
    parser.add_argument("--rivals", action="store_true", help="measure Resiliparse and Trafilatura too")
    parser.add_argument("--out", type=Path, default=Path("crawler/parsing/blocks/model_numbers.py"))
    arguments = parser.parse_args()
    if arguments.command == "train":
        train(arguments.folder, arguments.out)
    elif arguments.command == "marked":
        measure_marked(arguments.folder, arguments.index, rivals=arguments.rivals)
    else:
        measure(arguments.folder, rivals=arguments.rivals)


if __name__ == "__main__":
    main()
