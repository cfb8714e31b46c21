"""Reads a block of code: its lines, and its language, from the class names that page generators use. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from hinterland.crawler.parsing.markdown.shown_text import ShownText

_PREFIXED: Final = re.compile(
    r"(?:language|lang|highlight-source|highlight|brush|sourcecode|code|src)[-:_](?P<name>[A-Za-z0-9+#.-]{1,30})",
    re.IGNORECASE,
)
"""Matches "language-python" (HTML), "highlight-c" (Sphinx), "highlight-source-js" (GitHub), "src-sh" (Org) and the
like."""
_AFTER: Final = frozenset({"sourcecode", "src", "brush:", "listing", "programlisting", "prettyprint", "code", "hljs"})
"""Classes next to which the name of a known language is meant as such (Pandoc, Org, DocBook, rustdoc). So is one that
stands alone on a <pre>."""
_NAMES: Final = (
    "ada asm awk bash batch bibtex c c++ clojure cmake cobol coffeescript console cpp cs csharp css csv cuda d dart"
    " diff dockerfile elixir elm erlang fortran fsharp glsl go gradle graphql groovy haskell hs html http ini java"
    " javascript js json jsx julia kotlin latex less lisp lua makefile markdown matlab mermaid nginx nim objc ocaml"
    " octave pascal perl php powershell prolog protobuf ps1 py pycon python python3 qml r rb rst ruby rust sass scala"
    " scheme scss sh shell sql swift tcl tex toml ts tsx typescript vb verilog vhdl vim wasm xml yaml yml zig"
)
_KNOWN: Final = frozenset(_NAMES.split())
_UNKNOWN: Final = frozenset({"default", "none", "text", "plain", "plaintext", "nohighlight", "notranslate", "block"})
_AROUND: Final = 4
_ATTRIBUTES: Final = ("data-lang", "data-language", "data-code-language")


def code_language(elements: Sequence[tuple[str, Mapping[str, str | None]]]) -> str:
    """Return the language of code, "" if unknown.

    `elements` holds tag and attributes of the <code> in a <pre>, if there is one, of the <pre>, and of the elements
    around it, the innermost first.
    """
    for tag, attributes in elements:
        for name in _ATTRIBUTES:
            if (value := (attributes.get(name) or "").strip().lower()) and re.fullmatch(r"[a-z0-9+#.-]{1,30}", value):
                return "" if value in _UNKNOWN else value
        classes = (attributes.get("class") or "").lower().split()
        for each in classes:
            if (found := _PREFIXED.fullmatch(each)) and found["name"] not in _UNKNOWN:
                return found["name"]
        if (tag in ("pre", "code") and len(classes) <= 2) or not _AFTER.isdisjoint(classes):
            for each in classes:
                if (name := each.rstrip(";")) in _KNOWN:
                    return name
    return ""


def code_text(
    element: LexborNode, shown: ShownText | None, hidden_tags: Collection[str]
) -> tuple[str, LexborNode | None]:
    """Return the shown text of a <pre>, with its lines, and the <code> in it, if there is one."""
    parts: list[str] = []
    code: LexborNode | None = None
    hidden: LexborNode | None = None
    for node in element.traverse(include_text=True):
        tag = node.tag
        if tag == "-text":
            if (shown is None or shown.has(node)) and (hidden is None or not _is_inside(node, hidden)):
                parts.append(node.text_content or "")
        elif tag == "br":
            parts.append("\n")
        elif tag == "code" and code is None:
            code = node
        elif tag in hidden_tags:
            hidden = node
        elif tag in ("div", "p", "li", "tr") and parts and not parts[-1].endswith("\n"):
            parts.append("\n")
    return "".join(parts).replace("\r\n", "\n").replace("\r", "\n").replace("\x00", ""), code


def around_code(element: LexborNode, code: LexborNode | None) -> list[tuple[str, Mapping[str, str | None]]]:
    """Return tag and attributes of the <code> in a <pre>, of the <pre>, and of the elements around it."""
    around: list[tuple[str, Mapping[str, str | None]]] = []
    if code is not None:
        around.append((code.tag or "", code.attributes))
    outer: LexborNode | None = element
    while outer is not None and len(around) <= _AROUND and outer.tag not in ("body", "td", "section"):
        around.append((outer.tag or "", outer.attributes))
        outer = outer.parent
    return around


def _is_inside(node: LexborNode, other: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.mem_id != other.mem_id:
        parent = parent.parent
    return parent is not None
