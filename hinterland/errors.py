"""What the functions of `hinterland` raise; every message says what is wrong, and the way out."""

from analysis.stored_graph import UnusableGraph
from crawler.apps.cli.exit_codes import CommandError
from crawler.apps.search.answers import QueryError
from crawler.apps.search.index.building import IndexInUse
from crawler.apps.search.index.index_folder import NoIndex
from storage.exports.format import MissingPackage
from storage.no_store import NoStore

__all__ = ["CommandError", "IndexInUse", "MissingPackage", "NoIndex", "NoStore", "QueryError", "UnusableGraph"]
