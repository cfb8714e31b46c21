"""The exceptions that the functions of `hinterland` raise; each message says what is wrong and what to do about it."""

from hinterland.analysis.stored_graph import UnusableGraph
from hinterland.distribution.extras import MissingPackage
from hinterland.library.errors import HinterlandError, StoreUnusable, UnknownName
from hinterland.search.answers import QueryError
from hinterland.search.index_failures import IndexInUse, NoIndex
from hinterland.storage.no_store import NoStore

CommandError = HinterlandError
"""The former name of HinterlandError."""

__all__ = [
    "CommandError",
    "HinterlandError",
    "IndexInUse",
    "MissingPackage",
    "NoIndex",
    "NoStore",
    "QueryError",
    "StoreUnusable",
    "UnknownName",
    "UnusableGraph",
]
