"""What each tool costs that a language model can call (`mcp`), in CPU time of the whole process.

    python -m benchmarks.model_tools STORE [--calls 200] [--json FILE]

STORE has an index. The calls differ: queries of one to four words drawn from titles, pages drawn at random, and the
most linked pages among them, whose links are the most costly to list. Answers are cleaned, quoted and turned into JSON,
as they are for a client; the protocol itself is not included. The first call of each tool, which opens what it needs,
is a column of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

from hinterland.crawler.settings import SearchSettings
from hinterland.storage.reading.opening import reading
from hinterland.web.assistants.asked_stores import AskedStores
from hinterland.web.assistants.calls import called
from hinterland.web.assistants.tools import TOOLS

_MOST_LINKED: Final = 20
_SEED: Final = 1
_COSTS: Final = ("cpu first", "cpu p50", "cpu p95", "cpu most", "wall p95")

Arguments = Mapping[str, Any]


def drawn_calls(store: Path, calls: int) -> dict[str, list[Arguments]]:
    """Return `calls` arguments for each tool."""
    drawing = random.Random(_SEED)
    with reading(store) as reader:
        fetched = reader.pages.numbers_fetched()
        hubs = [page.number for page, _ in reader.links.most_linked(_MOST_LINKED)]
        pages = [*hubs, *drawing.sample(fetched, min(len(fetched), max(calls - len(hubs), 1)))]
        named = list(reader.pages.named(pages).values())
    urls = [page.url for page in named]
    titles = [page.title.split() for page in named if page.title]
    given: dict[str, Iterator[Arguments]] = {
        "search": ({"query": _query(drawing, drawing.choice(titles))} for _ in range(calls)),
        "read_page": ({"url": url} for url in _repeated(urls, calls)),
        "who_links_here": ({"url": url} for url in _repeated(urls, calls)),
        "changes_since": ({"since": "2020-01-01"} for _ in range(calls)),
        "list_hosts": ({"after": 20 * number} for number in range(calls)),
        "crawl_coverage": ({} for _ in range(calls)),
        "unseen_pages": ({"state": state} for state in _repeated(["waiting", "failed", "refused", "known"], calls)),
    }
    return {tool: list(arguments) for tool, arguments in given.items()}


def _query(drawing: random.Random, title: Sequence[str]) -> str:
    count = min(len(title), drawing.randint(1, 4))
    begin = drawing.randint(0, len(title) - count)
    return " ".join(word for word in title[begin : begin + count] if word[:1].isalnum()) or "index"


def _repeated(values: Sequence[str], count: int) -> list[str]:
    return [values[number % len(values)] for number in range(count)]


def measured(stores: AskedStores, tool: str, calls: Sequence[Arguments]) -> dict[str, float]:
    """Return percentiles in ms of CPU and wall time, and the longest answer in characters."""
    cpu, wall, longest = list[float](), list[float](), 0
    before = process_time()
    called(TOOLS[tool], stores, calls[0])
    first = 1000 * (process_time() - before)
    for arguments in calls:
        cpu_before, wall_before = process_time(), perf_counter()
        result = called(TOOLS[tool], stores, arguments)
        cpu.append(1000 * (process_time() - cpu_before))
        wall.append(1000 * (perf_counter() - wall_before))
        longest = max(longest, len(result.text))
        if result.values is None:
            raise SystemExit(f"{tool} {arguments}: {result.text}")
    return {
        "cpu first": first,
        "cpu p50": percentile(cpu, 0.5),
        "cpu p95": percentile(cpu, 0.95),
        "cpu most": max(cpu),
        "wall p95": percentile(wall, 0.95),
        "characters": longest,
    }


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that is not below this share of the values."""
    return sorted(values)[max(0, -int(-share * len(values) // 1) - 1)]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    stores = AskedStores([arguments.store], SearchSettings())
    documents = stores.one("").index().manifest.documents
    print(f"{documents:,} documents, {arguments.calls} calls of each tool, ms\n")
    print(f"{'':16} {' '.join(f'{name:>9}' for name in _COSTS)} {'characters':>11}")
    results = {}
    for tool, calls in drawn_calls(arguments.store, arguments.calls).items():
        results[tool] = found = measured(stores, tool, calls)
        costs = " ".join(f"{found[name]:9.1f}" for name in _COSTS)
        print(f"{tool:16} {costs} {found['characters']:11,}")
        sys.stdout.flush()
    if arguments.json:
        arguments.json.write_text(json.dumps({"documents": documents, "tools": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
