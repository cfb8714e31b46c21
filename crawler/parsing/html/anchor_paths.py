"""Describes the elements around a link (`body/div.content/ul`), which are a strong clue to where the link leads.

Links in similar places lead to similar pages: links in a menu, in a list of downloads, in running text (tag paths;
Gauquier, Manolescu & Senellart, EDBT 2026).
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborNode

from hinterland.crawler.parsing.html.page_bounds import MAX_BYTES_OF_PATHS, MAX_NAME_BYTES, MAX_PATH_ELEMENTS


class AnchorPaths:
    """Computes the paths of anchors in one tree; the root is left out. Mutable: caches the paths of elements."""

    def __init__(self, root: LexborNode) -> None:
        """Start at the root of a tree."""
        self._steps: dict[int, tuple[str, ...]] = {root.mem_id: ()}
        self._bytes = 0

    def of(self, anchor: LexborNode) -> str:
        """Return the path of an anchor: the names of up to MAX_PATH_ELEMENTS elements around it, outermost first.

        Each name is followed by the element's first class, or else its id. Returns "" once the paths of the tree exceed
        MAX_BYTES_OF_PATHS.
        """
        path = "" if self._bytes >= MAX_BYTES_OF_PATHS else "/".join(self._steps_to(anchor.parent))
        self._bytes += len(path) + 1
        return path

    def _steps_to(self, element: LexborNode | None) -> tuple[str, ...]:
        climbed: list[LexborNode] = []
        steps: tuple[str, ...] = ()
        while element is not None:
            known = self._steps.get(element.mem_id)
            if known is not None:
                steps = known
                break
            climbed.append(element)
            element = element.parent
        for each in reversed(climbed):
            steps = (*steps, _step(each))[-MAX_PATH_ELEMENTS:]
            self._steps[each.mem_id] = steps
        return steps


_TOKEN: Final = re.compile(r"[^ \t\n\f\r]+")


def _step(element: LexborNode) -> str:
    attributes = element.attributes
    name = element.tag or ""
    if not _is_plain(name):
        name = ""
    first_class = _TOKEN.search(attributes.get("class") or "")
    mark, said = ("#", attributes.get("id") or "") if first_class is None else (".", first_class[0])
    return f"{name}{mark}{said}" if _is_plain(said) else name


def _is_plain(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME_BYTES and name.isascii()
