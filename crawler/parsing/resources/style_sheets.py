"""Finds the references of style sheets and style attributes: @import, url(), image-set(). Pure.

tinycss2 finds the tokens, as CSS Syntax defines them. It gives the positions of tokens, so that URLs can be replaced
without changing anything else in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

from tinycss2 import parse_component_value_list

from hinterland.crawler.parsing.resources.references import ResourceKind, Span

MAX_CSS_CHARACTERS: Final = 1_000_000
"""The maximum length; the rest of a longer style sheet is not read. Reading takes 0.5 µs a character, or 4 µs for
hostile ones."""

_MAY_REFER: Final = re.compile(
    r"url\(\s*+[\"']?(?!data:|#)|@import|image-set"
    r"|\\(?:[g-z]|0{0,4}[4-7][0-9a-f](?![0-9a-f]))",  # an escaped letter, which may be one of these words
    re.IGNORECASE,
)
_SPECIAL: Final = r"{}()\"'@\\/\[\]"
_PLAIN_RULE: Final = re.compile(
    rf"(?<![^;{_SPECIAL}])[^;{_SPECIAL}]*+\{{(?:[^{_SPECIAL}]++|(?<![lL])\([^{_SPECIAL}]*+\))*+\}}",
)
"""Matches a rule without references: no string, no url(), no at-rule, no escape."""
_LONG_NUMBER: Final = re.compile(r"[0-9]{4000,}")
"""Python refuses to convert such a number, and no honest page has one."""
_END_OF_URL: Final = re.compile(r"(?:[^\\)]|\\.)*+\)?", re.DOTALL)
_STRING: Final = re.compile(r"\"(?:[^\"\\]|\\.)*+\"?|'(?:[^'\\]|\\.)*+'?", re.DOTALL)
_BEFORE_IMPORTS: Final = frozenset({"charset", "layer", "import"})
"""The at-rules that may stand before an @import (CSS Cascading 5, 2.)."""
_NOT_LOADED: Final = frozenset({"namespace", "document", "-moz-document", "charset"})
"""At-rules whose URLs are only names, from which nothing is loaded."""
_IMAGE_SETS: Final = frozenset({"image-set", "-webkit-image-set"})


def normalised(css: str) -> str:
    """Normalise the newlines of a style sheet (CSS Syntax, 3.3), and cut it to the maximum length; return it."""
    text = css[:MAX_CSS_CHARACTERS].replace("\0", "\ufffd")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return _LONG_NUMBER.sub(lambda number: "x" * len(number[0]), text)


def spans_of_css(css: str, *, is_sheet: bool = True) -> list[Span]:
    """Return the references of a normalised style sheet, or of a style attribute, in order.

    References to the document itself, such as url(#clip), and data: URLs are left out.
    """
    if not _MAY_REFER.search(css):
        return []
    shorter = _PLAIN_RULE.sub(_filled, css)
    starts = _starts_of_lines(css)
    found = []
    for kind, url, token, where in _references(parse_component_value_list(shorter, skip_comments=True), is_sheet):
        start = _place(token, starts)
        end = _end(css, start)
        if css[start:end] != shorter[start:end]:  # the URL has braces
            again = parse_component_value_list(css[start:end])[0]
            if again.type not in ("url", "string"):
                continue
            url = again.value.strip()
        found.append(Span(kind, url, start, end, where))
    return sorted(found, key=lambda span: span.start)


def square_brackets(css: str) -> list[int]:
    """Return where blocks in square brackets begin in a normalised style sheet, such as attribute selectors."""
    return _places(css, _filled, lambda token: token.type == "[] block")


def attribute_functions(css: str) -> list[int]:
    """Return where each attr() begins in a normalised style sheet; this function shows or uses an attribute."""

    def filled(rule: re.Match[str]) -> str:
        return rule[0] if "attr(" in rule[0].lower() else _filled(rule)

    return _places(css, filled, lambda token: token.type == "function" and token.lower_name == "attr")


def _places(css: str, filled: Callable[[re.Match[str]], str], is_wanted: Callable[[Any], bool]) -> list[int]:
    """Return the positions of the tokens for which `is_wanted` is true; `filled` shortens rules without references."""
    waiting = [parse_component_value_list(_PLAIN_RULE.sub(filled, css), skip_comments=True)]
    starts, found = _starts_of_lines(css), []
    while waiting:
        for token in waiting.pop():
            if is_wanted(token):
                found.append(_place(token, starts))
            match token.type:
                case "{} block" | "() block":
                    waiting.append(token.content)
                case "function":
                    waiting.append(token.arguments)
    return sorted(found)


def _starts_of_lines(css: str) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in css.split("\n"))]


def _place(token: Any, starts: Sequence[int]) -> int:
    return int(starts[token.source_line - 1] + token.source_column - 1)


def _filled(rule: re.Match[str]) -> str:
    """Return a rule of the same length and with the same lines, but with hardly any tokens, to save time."""
    selector, _, block = rule[0][:-1].partition("{")
    return f"{_xs(selector)}{{{_xs(block)}}}"


def _xs(text: str) -> str:
    return "\n".join(["x" * len(line) for line in text.split("\n")]) if text else ""


def with_replaced_urls(css: str, spans: Sequence[Span], replace: Callable[[Span], str | None]) -> str:
    """Return a normalised style sheet with the URL of each span replaced.

    `replace` returns the new URL of a span, or None to keep its URL.
    """
    parts: list[str] = []
    position = 0
    for span in spans:
        url = replace(span)
        if url is None:
            continue
        is_string = css[span.start] in "\"'"
        parts += [css[position : span.start], _as_string(url) if is_string else f"url({_as_string(url)})"]
        position = span.end
    return "".join([*parts, css[position:]])


_Found = tuple[ResourceKind, str, Any, str]


def _references(tokens: list[Any], is_sheet: bool) -> Iterator[_Found]:
    """Yield (kind, URL, token, where) for every reference below `tokens`. Blocks wait in a list, without recursion."""
    waiting: list[tuple[list[Any], ResourceKind, bool, bool]] = [(tokens, ResourceKind.IMAGE, is_sheet, False)]
    while waiting:
        level, kind, is_top, are_strings = waiting.pop()
        rule, may_import = "", is_top
        for token in level:
            match token.type:
                case "at-keyword":
                    rule = rule or token.lower_value
                    may_import = may_import and rule in _BEFORE_IMPORTS
                case "literal" if token.value == ";":
                    rule = ""
                case "whitespace" | "literal":
                    continue
                case "{} block":
                    inner = ResourceKind.FONT if rule == "font-face" else kind
                    waiting.append((token.content, inner, False, False))
                    rule, may_import = "", False
                case "[] block" | "() block":
                    waiting.append((token.content, kind, False, False))
                case "function" if token.lower_name == "url":
                    if rule not in _NOT_LOADED:
                        for string in [each for each in token.arguments if each.type == "string"][:1]:
                            if found := _reference(string, kind, rule, may_import):
                                yield found
                case "function":
                    waiting.append((token.arguments, kind, False, token.lower_name in _IMAGE_SETS))
                case "url" if rule not in _NOT_LOADED:
                    if found := _reference(token, kind, rule, may_import):
                        yield found
                case "string" if are_strings or rule == "import":
                    if found := _reference(token, kind, rule, may_import):
                        yield found
                case "ident" if not rule:
                    may_import = False


def _reference(token: Any, kind: ResourceKind, rule: str, may_import: bool) -> _Found | None:
    url = token.value.strip()
    if rule == "import":
        if not may_import:
            return None
        kind = ResourceKind.STYLE
    if not url or url.startswith("#") or url[:5].lower() == "data:":
        return None
    where = {ResourceKind.STYLE: "@import", ResourceKind.FONT: "@font-face"}.get(kind, "url()")
    return kind, url, token, where


def _end(css: str, start: int) -> int:
    """Return the end of the URL token that begins at `start`: a string, or url() without quotes."""
    pattern = _STRING if css[start] in "\"'" else _END_OF_URL
    found = pattern.match(css, start)
    assert found is not None  # each pattern matches whatever begins like this
    return found.end()


def _as_string(url: str) -> str:
    escaped = url.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\a ")
    return f'"{escaped}"'
