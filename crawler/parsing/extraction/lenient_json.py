"""A JSON parser that recovers from the mistakes that sites make. Pure.

Some mistakes come from JavaScript (comments, commas before brackets, single quotation marks), others from templates:
quotation marks inside strings, HTML entities, two objects where one is allowed, a missing end. All intact parts of such
a text are read; only parts without a clear meaning are dropped.
"""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Final

_SPACE: Final = re.compile(
    r"(?:[\s\x00-\x20\ufeff\ufffd\u200b-\u200f\u2060]+|//[^\n\r]*|/\*.*?(?:\*/|\Z)|<!--|-->|<!\[CDATA\[|\]\]>"
    r"|</?[A-Za-z][^<>]{0,1000}>|;)*+",
    re.DOTALL,
)
"""Text that is skipped between two values: white space, comments, and tags inserted by an editor."""
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    **dict.fromkeys("\u201c\u201d\u201e\u2033\u00ab", '\u201c\u201d\u2033\u00bb"'),
    **dict.fromkeys("\u2018\u2019\u2032", "\u2018\u2019\u2032'"),
}
"""Each opening quotation mark, with the marks that may close it."""
_ANY_QUOTE: Final = "".join(_QUOTES)
_END_OF_TEXT: Final = {ends: re.compile(rf"[{re.escape(ends)}]|\\.", re.DOTALL) for ends in set(_QUOTES.values())}
_KEY_AHEAD: Final = re.compile(
    r"(?:\"(?:[^\"\\\n]|\\.){0,200}\"|'(?:[^'\\\n]|\\.){0,200}'"
    r"|[`\u2018-\u201e\u2032\u2033\u00ab][^`\u2018-\u201e\u2032\u2033\u00bb\n]{0,200}[`\u2018-\u201e\u2032\u2033\u00bb])\s*[:=]"
    r"|[A-Za-z_$@][\w$@-]{0,100}\s*:(?!//)"
)
_BARE_KEY: Final = re.compile(r"[^:=,{}\[\]\n]{1,200}")
_BARE: Final = re.compile(r"[^,\]}\n\r]*?(?=\s*(?:[,\]}\n\r;]|/\*|</|<!--|\Z)|\s//)")
_OPENING: Final = re.compile(r"[\[{]")
_NUMBER: Final = re.compile(r"[-+]?(?:0|[1-9]\d{0,300})?(?:\.\d{0,300})?(?:[eE][-+]?\d{1,3})?")
_WORDS: Final = {
    **dict.fromkeys(("true", "True", "TRUE", "!0"), True),
    **dict.fromkeys(("false", "False", "FALSE", "!1"), False),
    **dict.fromkeys(("null", "None", "NULL", "undefined", "nil", "NaN", "Infinity", "-Infinity", "")),
}
_ENTITY_FOR_A_QUOTE: Final = re.compile(r"[\[{\s]*&(?:amp;)?(?:quot|apos|[lr][sd]quo|#\d+|#[xX][0-9a-fA-F]+);")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_LETTERS: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "\n": "", "\r\n": "", "\r": ""}
_LONGEST_BARE: Final = 1_000
_MOST_LOOKS: Final = 200_000
"""The maximum number of look-aheads in one text. After that, the first possible closing mark ends a string."""


def json_value(text: str) -> object:
    """Return the value in a text: a list if there are several values, None if there is none."""
    try:
        value = json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return _mended(text)
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):  # JSON in JSON
        return json_value(value) if len(value) < len(text) else None
    return value


def _mended(text: str) -> object:
    for _ in range(2):  # some texts are escaped twice
        if _ENTITY_FOR_A_QUOTE.match(text):
            text = unescape(text)
    values = _LenientParser(text).values()
    return values[0] if len(values) == 1 else values or None


class _LenientParser:
    """Parses one text, with its own stack because nesting is not bounded. Mutable."""

    def __init__(self, text: str) -> None:
        """Start at the beginning of `text`."""
        self._text = text
        self._at = 0
        self._looks = _MOST_LOOKS
        self._found: list[object] = []
        self._open: list[dict[str, object] | list[object]] = []
        self._keys: list[str | None] = []
        """For each open container, the key of the next value."""
        self._depths: dict[type, int] = {dict: 0, list: 0}
        """The number of open containers of each kind."""

    def values(self) -> list[object]:
        """Return the top-level objects and lists that are not empty."""
        text = self._text
        while True:
            self._at = _after_space(text, self._at)
            if self._at >= len(text):
                return [value for value in self._found if value]
            if not self._open:
                opening = _OPENING.search(text, self._at)
                self._at = len(text) if opening is None else opening.start()
                if opening is not None:
                    self._begin()
            elif isinstance(self._open[-1], dict) and self._keys[-1] is None:
                self._read_key()
            else:
                self._read_value()

    def _begin(self) -> None:
        opened: dict[str, object] | list[object] = {} if self._text[self._at] == "{" else []
        self._put(opened)
        self._open.append(opened)
        self._depths[type(opened)] += 1
        self._keys.append(None)
        self._at += 1

    def _end(self) -> None:
        """Close the container that a closing bracket belongs to, and all open containers inside it.

        A bracket without an open container is skipped.
        """
        kind: type = dict if self._text[self._at] == "}" else list
        self._at += 1
        if not self._depths[kind]:
            return
        closed: object = None
        while not isinstance(closed, kind):
            closed = self._open.pop()
            self._keys.pop()
            self._depths[type(closed)] -= 1

    def _put(self, value: object) -> None:
        if not self._open:
            self._found.append(value)
            return
        into = self._open[-1]
        if isinstance(into, list):
            into.append(value)
        else:
            into[self._keys[-1] or ""] = value
            self._keys[-1] = None

    def _read_key(self) -> None:
        text, mark = self._text, self._text[self._at]
        if mark in "}]":
            self._end()
        elif mark in "{[":
            self._begin()
        elif mark in _QUOTES:
            self._take_key(self._quoted(is_key=True))
        elif bare := _BARE_KEY.match(text, self._at):
            self._at = bare.end()
            self._take_key(bare[0].strip().strip(_ANY_QUOTE))
        else:
            self._at += 1

    def _take_key(self, key: str | None) -> None:
        """Accept the key if a colon follows."""
        self._at = _after_space(self._text, self._at)
        if key is not None and self._text[self._at : self._at + 1] in (":", "="):
            self._keys[-1] = key
            self._at += 2 if self._text.startswith("=>", self._at) else 1

    def _read_value(self) -> None:
        mark = self._text[self._at]
        if mark in "}]":
            self._end()
        elif mark == ",":
            self._keys[-1] = None
            self._at += 1
        elif mark in "{[":
            self._begin()
        elif mark in _QUOTES:
            said = self._quoted(is_key=False)
            if said is not None:
                self._put(said)
        else:
            self._put(self._bare())

    def _bare(self) -> object:
        """Read a number, a word, or a string without quotation marks."""
        found = _BARE.match(self._text, self._at)
        said = "" if found is None else found[0]
        self._at += max(len(said), 1)
        said = said.strip()
        if said in _WORDS:
            return _WORDS[said]
        if len(said) > _LONGEST_BARE:
            return None
        if _NUMBER.fullmatch(said) and any(map(str.isdigit, said)):
            return float(said) if any(mark in said for mark in ".eE") else int(said)
        return said

    def _quoted(self, *, is_key: bool) -> str | None:
        """Read a quoted string; return None if it has no end."""
        parts = []
        while True:
            start = self._at + 1
            end = self._end_of_text(is_key=is_key)
            if end < 0:
                self._at = len(self._text)
                return None
            parts.append(_unescaped(self._text[start:end]))
            self._at = end + 1
            plus = _after_space(self._text, self._at)
            more = _after_space(self._text, plus + 1)
            if is_key or self._text[plus : plus + 1] != "+" or self._text[more : more + 1] not in tuple(_QUOTES):
                return "".join(parts)
            self._at = more

    def _end_of_text(self, *, is_key: bool) -> int:
        """Return the position of the quotation mark that ends the string, or -1 if there is none.

        This is the first mark that is followed by something that may follow a string. If there is no such mark, the
        first quotation mark counts.
        """
        text, first = self._text, -1
        for mark in _END_OF_TEXT[_QUOTES[text[self._at]]].finditer(text, self._at + 1):
            if mark[0][0] == "\\":
                continue
            if first < 0:
                first = mark.start()
            self._looks -= 1
            if self._looks < 0:
                break
            if self._may_follow(mark.end(), is_key=is_key):
                return mark.start()
        return first

    def _may_follow(self, place: int, *, is_key: bool) -> bool:
        text = self._text
        place = _after_space(text, place)
        mark = text[place : place + 1]
        if is_key:
            return mark in (":", "=")
        if mark in ("", "}", "]"):
            return True
        is_in_object = isinstance(self._open[-1], dict)
        after = _after_space(text, place + 1)
        if mark == "+":
            return text[after : after + 1] in tuple(_QUOTES)
        if mark != ",":
            return is_in_object and _KEY_AHEAD.match(text, place) is not None
        if text[after : after + 1] in ("", "}", "]", ","):
            return True
        return not is_in_object or _KEY_AHEAD.match(text, after) is not None


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return place if found is None else found.end()


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    said = _ESCAPE.sub(_character, text)
    if any("\ud800" <= each <= "\udfff" for each in said):
        said = said.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return said


def _character(escape: re.Match[str]) -> str:
    """Return the character of an escape, as in JavaScript: an unknown escape stands for the character itself."""
    four, any_number, two, other = escape.groups()
    if other is not None:
        return _LETTERS.get(other, str(other))
    number = int(four or any_number or two, 16)
    return chr(number) if number < 0x110000 else "\ufffd"
