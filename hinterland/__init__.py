"""Hinterland for those who build upon it: stores, crawls and searches from Python, and in the modules here what
plug-ins of the entry points of their names are made of. All else is inside, and may change."""

from typing import TYPE_CHECKING, Any

from hinterland.crawler import __version__

if TYPE_CHECKING:
    from hinterland import errors, estimators, exporters, features, hooks, policies, revisit_policies, topic_classifiers
    from hinterland.library.crawling import crawl
    from hinterland.library.graph_folder import open_bvgraph
    from hinterland.library.searching import build_index, open_index
    from hinterland.library.store import Store

__all__ = [
    "Store",
    "__version__",
    "build_index",
    "crawl",
    "errors",
    "estimators",
    "exporters",
    "features",
    "hooks",
    "open_bvgraph",
    "open_index",
    "policies",
    "revisit_policies",
    "topic_classifiers",
]

_MODULES = {
    "Store": "store",
    "build_index": "searching",
    "crawl": "crawling",
    "open_bvgraph": "graph_folder",
    "open_index": "searching",
}


def __getattr__(name: str) -> Any:
    """Only what is used is imported: not even `hinterland --version` would wait for numpy."""
    from importlib import import_module

    if name in _MODULES:
        import hinterland.library as library

        return getattr(import_module(f"{library.__name__}.{_MODULES[name]}"), name)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
