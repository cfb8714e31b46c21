"""What the spiders of the peers share: the links of a page that lead to the hosts of the seeds, and a list of failures.

Runs in the environment of the peers, without the packages of this project.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser


class Links:
    """Which links are to be followed: each once, on the hosts of the seeds, with www. or without."""

    def __init__(self, seeds: Iterable[str]) -> None:
        """Start with the seeds, whose hosts may be crawled."""
        self._seen = set(seeds)
        self.hosts = {urlsplit(seed).hostname or "" for seed in self._seen}

    def new(self, url: str, body: bytes) -> list[str]:
        """Return the links of a page that were not seen before."""
        found = []
        for node in LexborHTMLParser(body).css("a[href]"):
            try:
                target = join_url(url, node.attributes["href"] or "").partition("#")[0]
            except ValueError:
                continue
            if target not in self._seen and (urlsplit(target).hostname or "").removeprefix("www.") in self.hosts:
                self._seen.add(target)
                found.append(target)
        return found


class Failures:
    """The failures of hosts: each kind once for each."""

    def __init__(self) -> None:
        """Start without failures."""
        self._seen: dict[tuple[str, str], str] = {}

    def add(self, url: str, kind: str, detail: str) -> None:
        """Note that a URL could not be fetched."""
        self._seen.setdefault((urlsplit(url).hostname or "", kind), detail[:200])

    def write(self, path: Path) -> None:
        """Write all as a JSON list of host, kind and detail."""
        listed = [[host, kind, detail] for (host, kind), detail in self._seen.items()]
        path.write_text(json.dumps(listed), encoding="utf-8")
