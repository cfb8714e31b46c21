"""Makes crawled text safe to read. Pure.

Templates and JSON escape markup. This module handles two other risks: invisible characters that change how other
characters are shown, for example by reversing the direction of text, and URLs that a browser would execute.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTION = r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = r"\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"
_UNPAIRED = r"\ud800-\udfff"
_TAGS = r"\U000e0000-\U000e007f"
_UNSEEN = re.compile(f"[{_CONTROL}{_DIRECTION}{_INVISIBLE}{_UNPAIRED}{_TAGS}]")
"""Characters that are spelt out. U+200C and U+200D are not among them, since Persian and emoji need them, and neither
is the soft hyphen.
"""


_MAX_CHARACTERS = 2_000
_MAX_HREF = 8_000


def visible(text: str) -> str:
    r"""Return the text in one line, with misleading characters spelt out, such as "\u202e".

    Overlong text is cut.
    """
    whole = len(text) <= _MAX_CHARACTERS
    return _spelt_out(" ".join(text[:_MAX_CHARACTERS].split())) + ("" if whole else "…")


def visible_lines(text: str) -> str:
    """Return the whole text with misleading characters spelt out, as `visible` does, but keep line breaks and tabs."""
    return _spelt_out(text.replace("\r\n", "\n").replace("\r", "\n"))


def _spelt_out(text: str) -> str:
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def web_href(url: str) -> str | None:
    """Return the URL if a link to it is safe, otherwise None.

    It must be an http or https URL without invisible characters.
    """
    if len(url) > _MAX_HREF or not url.lower().startswith(("http://", "https://")):
        return None
    return None if _UNSEEN.search(url) or re.search(r"\s", url) else url


def breadcrumb(url: str) -> list[str]:
    """Return the host and the folders of a URL, decoded for reading. The result is not safe in links."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return [visible(url)]
    path = [visible(unquote(part)) for part in parts.path[:_MAX_CHARACTERS].split("/") if part]
    if parts.query:
        path.append(visible("?" + unquote(parts.query)))
    return [visible(parts.netloc), *path] if parts.netloc else [visible(url)]
