"""What elements keep in a shadow root: written out it stands in templates, which nobody looks into. Pure."""

from __future__ import annotations

import re
from typing import Final

_TEMPLATE: Final = re.compile(r"<(/?)template\b([^>]*)>", re.IGNORECASE)


def opened(html: str) -> str:
    """The same with <template shadowrootmode=...>, as Element.getHTML writes it, made a <div>. Templates that are none
    of these stay.
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
