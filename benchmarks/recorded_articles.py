"""A graph of articles with titles, as a web of pages whose links name the articles they lead to."""

from __future__ import annotations

import gzip
import itertools
from html import escape
from pathlib import Path
from urllib.parse import unquote

import numpy as np

_HOST = "http://articles.test/"


class RecordedArticles:
    """folder: graph.npz (src, dst, n), urls.txt.gz (titles), labels.txt.gz (categories, with ";" between)."""

    def __init__(self, folder: Path) -> None:
        graph = np.load(folder / "graph.npz")
        titles = _lines(folder / "urls.txt.gz")
        self._titles = [unquote(title).replace("_", " ") for title in titles]
        self._urls = [_HOST + title for title in titles]
        self.pages = {url: number for number, url in enumerate(self._urls)}
        self.files: dict[str, str] = {}
        self.categories = dict(zip(self._urls, _lines(folder / "labels.txt.gz"), strict=True))
        order = np.argsort(graph["src"], kind="stable")
        bounds = np.searchsorted(graph["src"][order], np.arange(int(graph["n"]) + 1))
        self._targets = [graph["dst"][order[a:b]].tolist() for a, b in itertools.pairwise(bounds)]

    def body(self, url: str) -> tuple[bytes, str | None]:
        number = self.pages[url]
        links = "".join(
            f'<li><a href="{escape(self._urls[target])}">{escape(self._titles[target])}</a></li>'
            for target in self._targets[number]
        )
        html = f"<title>{escape(self._titles[number])}</title><ul>{links}</ul>"
        return html.encode(), "text/html; charset=utf-8"

    def seen_as(self, url: str) -> str | None:
        return url if url in self.pages else None


def _lines(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as stream:
        return stream.read().split("\n")[:-1]
