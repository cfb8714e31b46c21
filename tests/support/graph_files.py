"""Graphs in files as `simulate` and `evaluate` read them, small and drawn at random."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def write_graph(
    folder: Path,
    links: Sequence[tuple[int, int]],
    n: int,
    *,
    urls: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    **arrays: Any,
) -> Path:
    """graph.npz with urls.txt.gz and labels.txt.gz in `folder`, which is made and returned."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = np.array(links, np.int32).reshape(-1, 2)
    np.savez(folder / "graph.npz", src=pairs[:, 0], dst=pairs[:, 1], n=n, **arrays)
    for name, lines in (("urls", urls), ("labels", labels)):
        if lines is not None:
            with gzip.open(folder / f"{name}.txt.gz", "wt", encoding="utf-8", newline="\n") as text:
                text.writelines(f"{line}\n" for line in lines)
    return folder


def random_web(folder: Path, *, hosts: int = 5, pages: int = 40, seed: int = 1) -> Path:
    """Hosts h0.test, h1.test, ... of `pages` pages each, which link mostly to their own host."""
    rng = np.random.default_rng(seed)
    n = hosts * pages
    links = [(page, page - 1) for page in range(n) if page % pages]
    for page in range(n):
        own = page // pages * pages
        links += [(page, own + int(other)) for other in rng.integers(0, pages, 3)]
        links += [(page, int(other)) for other in rng.integers(0, n, 1)]
    urls = [f"http://h{page // pages}.test/{page % pages}" for page in range(n)]
    return write_graph(folder, links, n, urls=urls)
