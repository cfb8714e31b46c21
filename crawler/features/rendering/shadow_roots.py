"""Makes the content of shadow roots visible to the parser, which does not read templates. Pure."""

from __future__ import annotations

import re
from typing import Final

_TEMPLATE: Final = re.compile(r"<(/?)template\b([^>]*)>", re.IGNORECASE)


def opened(html: str) -> str:
    """Return the HTML with shadow roots as ordinary elements.

    Element.getHTML writes them as <template shadowrootmode=...>; each of these becomes a <div>. Other templates are
    kept.
    """
    if "shadowrootmode" not in html:
        return html
    are_roots: list[bool] = []

    def replaced(match: re.Match[str]) -> str:
        end, attributes = match.groups()
        if not end:
            are_roots.append("shadowrootmode" in attributes)
            return "<div>" if are_roots[-1] else match[0]
        return "</div>" if are_roots and are_roots.pop() else match[0]

    return _TEMPLATE.sub(replaced, html)
