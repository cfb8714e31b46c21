"""Hinterland for programs and plug-ins: stores, crawls and searches from Python.

The modules of this package hold the base classes of plug-ins. Each module has the name of the entry-point group that it
serves. Everything else is internal and may change.
"""

from typing import TYPE_CHECKING, Any

from hinterland.crawler import __version__

if TYPE_CHECKING:
    from hinterland import (
        commands,
        errors,
        estimators,
        exporters,
        features,
        hooks,
        pages,
        policies,
        revisit_policies,
        topic_classifiers,
    )
    from hinterland.lab.graphs.bv_folder import open_bvgraph
    from hinterland.library.archives import import_archives
    from hinterland.library.crawling import crawl, recrawl
    from hinterland.library.exporting import export
    from hinterland.library.extraction import extract
    from hinterland.library.ranking import rank
    from hinterland.library.searching import build_index, open_index, search_pages
    from hinterland.library.store import Store

__all__ = [
    "Store",
    "__version__",
    "build_index",
    "commands",
    "crawl",
    "errors",
    "estimators",
    "export",
    "exporters",
    "extract",
    "features",
    "hooks",
    "import_archives",
    "open_bvgraph",
    "open_index",
    "pages",
    "policies",
    "rank",
    "recrawl",
    "revisit_policies",
    "search_pages",
    "topic_classifiers",
]

_FUNCTIONS = {
    "Store": "library.store",
    "build_index": "library.searching",
    "crawl": "library.crawling",
    "export": "library.exporting",
    "extract": "library.extraction",
    "import_archives": "library.archives",
    "open_bvgraph": "lab.graphs.bv_folder",
    "open_index": "library.searching",
    "rank": "library.ranking",
    "recrawl": "library.crawling",
    "search_pages": "library.searching",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used, so that not even `hinterland --version` waits for numpy."""
    from importlib import import_module

    if name in _FUNCTIONS:
        return getattr(import_module(f"{__name__}.{_FUNCTIONS[name]}"), name)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, including those not imported yet."""
    return sorted({*globals(), *__all__})
