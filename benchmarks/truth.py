"""The farm's own account of itself: which pages a correct crawler finds, and what the server answers.

Both come from the files of the farm, not from HTTP and not from our code, which makes them a check on both.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Final
from urllib.parse import unquote, urlsplit

from benchmarks.farm import Farm

PAGE: Final = "page"
REDIRECT: Final = "to"

OUTCOME_OF_ANSWER: Final = {
    "page": "fetched",
    "to": "redirected",
    "miss": "client_error",
    "robots": "robots",
    "other": "other_type",
}
"""What a correct crawler makes of each kind of answer."""


class Truth:
    """What is there, in the crawler's spelling of URLs (`canonical`).

    pages: HTML pages reachable from the seeds over `<a href>` under robots.txt. reached: these and the
    redirects on the way.
    """

    def __init__(self, farm: Farm, name: str, canonical: Callable[[str], str | None]) -> None:
        """Read the truth of a set, with URLs in canonical form."""
        self.pages = _respelled(farm.truth(name, PAGE), canonical)
        self.reached = self.pages | _respelled(farm.truth(name, REDIRECT), canonical)
        _, self._answer = module_of(farm, name)
        self._files = farm.roots[name] / "www"

    def outcome(self, url: str) -> str | None:
        """Return the expected outcome of a visit, by the server's files; None if the URL is elsewhere."""
        return OUTCOME_OF_ANSWER.get(self._answer(url)[0])

    def redirect(self, url: str) -> str | None:
        """Return where the server redirects this URL, if anywhere."""
        answer = self._answer(url)
        return answer[1] if answer[0] == REDIRECT else None

    def is_only_compressed(self, url: str) -> bool:
        """Whether all there is of a file is name.gz: nginx sends it as `name` to those who accept gzip."""
        return is_only_compressed(self._files, url)

    def size(self, url: str) -> int:
        """Bytes of the HTML file that the server sends for this URL; 0 if it sends none."""
        answer = self._answer(url)
        return Path(answer[1]).stat().st_size if answer[0] == PAGE else 0


def is_only_compressed(files: Path, url: str) -> bool:
    """Whether all there is of a file in the folder of the farm is name.gz."""
    parts = urlsplit(url)
    path = Path(f"{files}/{parts.hostname}{unquote(parts.path)}")
    return not path.exists() and Path(f"{path}.gz").exists()


def _respelled(urls: Iterable[str], canonical: Callable[[str], str | None]) -> set[str]:
    return {spelled for url in urls if (spelled := canonical(url)) is not None}


def module_of(farm: Farm, name: str) -> tuple[ModuleType, Callable[[str], tuple[str, ...]]]:
    """Return the farm's command as a module, and its function that predicts the server's answers."""
    loader = SourceFileLoader("webfarm", str(farm.command))
    specification = importlib.util.spec_from_loader(loader.name, loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # its folder is not ours
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = writes_bytecode
    sets = ("small",) if name == "small" else ("small", "full")
    sites = module.parse_conf([farm.command.with_name("sites.conf")], sets)
    answer: Callable[[str], tuple[str, ...]] = module.Farm(str(farm.roots[name]), sites).get
    return module, answer
