"""What was crawled, as text that does nothing but be read. Pure.

Templates and JSON escape markup. This is about what is left: characters that are not seen but change how others are
shown, such as those that reverse the direction of what follows, and URLs that a browser would execute.
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
"""U+200C and U+200D are not among them: Persian and emoji cannot be written without. Nor is the soft hyphen."""


_MAX_CHARACTERS = 2_000
_MAX_HREF = 8_000


def visible(text: str) -> str:
    """In one line, what could mislead the eye spelt out: "\\u202e". Of a text that no line is for, the beginning."""
    whole = len(text) <= _MAX_CHARACTERS
    return _spelt_out(" ".join(text[:_MAX_CHARACTERS].split())) + ("" if whole else "…")


def visible_lines(text: str) -> str:
    """Like `visible`; line breaks and tabs stay."""
    return _spelt_out(text.replace("\r\n", "\n").replace("\r", "\n"))


def _spelt_out(text: str) -> str:
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def web_href(url: str) -> str | None:
    """The URL if it is one that may stand in a link to the web: http or https, and nothing unseen in it."""
    if len(url) > _MAX_HREF or not url.lower().startswith(("http://", "https://")):
        return None
    return None if _UNSEEN.search(url) or re.search(r"\s", url) else url


def breadcrumb(url: str) -> list[str]:
    """Host and folders of a URL, percent-encoding of letters undone, for people: nothing to make a link of."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return [visible(url)]
    path = [visible(unquote(part)) for part in parts.path[:_MAX_CHARACTERS].split("/") if part]
    if parts.query:
        path.append(visible("?" + unquote(parts.query)))
    return [visible(parts.netloc), *path] if parts.netloc else [visible(url)]
