"""Builds the documents as a site: `sphinx-build -W -c docs . FOLDER` (CONTRIBUTING.md says how).

The source is the whole checkout, so that a link between documents is the same in the site and in a repository's
browser. Nothing is fetched from elsewhere when the site is read.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pygments.lexers.special import TextLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Hinterland"
author = "The authors of Hinterland"
extensions = ["myst_parser"]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/*.md", "docs/reference/*.md", "benchmarks/README.md"]
_ROOT: Final = Path(__file__).parents[1]
exclude_patterns = [each.name for each in _ROOT.iterdir() if each.is_dir() and each.name not in ("docs", "benchmarks")]
"""Not walked through: a `.venv` has more files than all the rest, and they are looked through twice."""
html_theme = "furo"
html_title = "Hinterland"
html_show_copyright = False
myst_heading_anchors = 4
nitpicky = True

_CONTENTS: Final = {
    "Start": ["/README", "installation", "tutorial", "glossary"],
    "How to": [
        *(
            "how-to",
            "politeness",
            "recrawling",
            "topics",
            "extraction",
            "rendering",
            "archives",
            "exports",
            "access",
            "for-site-owners",
            "usage",
            "serving",
            "mcp",
            "audit",
            "library",
            "plug-ins",
        ),
        "scale",
    ],
    "Reference": [
        *("commands", "schema", "search"),
        *("reference/commands", "reference/settings", "reference/schema", "reference/api"),
    ],
    "Why": [
        *(
            "policies",
            "estimates",
            "return-flow",
            "ranking",
            "revisits",
            "webgraph",
            "papers",
            "traps",
            "reliability",
            "evaluation",
        ),
        "/benchmarks/README",
    ],
    "Carry it on": ["architecture", "/CONTRIBUTING", "releasing", "/CHANGELOG", "/SECURITY", "/CODE_OF_CONDUCT"],
}
"""Where each document stands in the menu of the site."""
_PICTURES: Final = ("search-light.png", "search-dark.png")
"""Named by HTML in the README, which Sphinx does not look into."""
_FRONT: Final = '<!doctype html><title>Hinterland</title><meta http-equiv="refresh" content="0; url=README.html">\n'


def setup(app: Sphinx) -> None:
    """Add what a repository's browser would show as code, or does by itself."""
    app.add_lexer("crontab", TextLexer)
    app.connect("source-read", _add_contents)
    app.connect("build-finished", _add_front)


def _add_contents(_: Sphinx, name: str, source: list[str]) -> None:
    if name == root_doc:
        trees = (
            f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"
            for caption, pages in _CONTENTS.items()
        )
        source[0] += "\n" + "\n".join(trees)


def _add_front(app: Sphinx, problem: Exception | None) -> None:
    if problem is None and app.builder.format == "html":
        folder = Path(app.outdir)
        (folder / "index.html").write_text(_FRONT, encoding="utf-8")
        for name in _PICTURES:
            shutil.copy(Path(app.srcdir) / "docs" / name, folder / "docs" / name)
