"""Models of the web graph, one file each, and the table `MODELS`."""

from __future__ import annotations

from typing import Final

from analysis.models.configuration import ConfigurationModel
from analysis.models.copying import CopyingModel
from analysis.models.model import GraphModel
from analysis.models.pennock import PennockModel
from analysis.models.preferential import PreferentialModel
from analysis.models.random_crawl import RandomCrawlModel
from analysis.models.uniform import UniformModel

MODELS: Final[dict[str, type[GraphModel]]] = {
    "copying": CopyingModel,
    "random-crawl": RandomCrawlModel,
    "configuration": ConfigurationModel,
    "pennock": PennockModel,
    "preferential": PreferentialModel,
    "uniform": UniformModel,
}
"""By the names that `model` knows. The fields of a model are its parameters."""
