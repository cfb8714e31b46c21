"""Models of the web graph, one file each, and the table `MODELS`."""

from __future__ import annotations

from typing import Final

from hinterland.lab.models.configuration import ConfigurationModel
from hinterland.lab.models.copying import CopyingModel
from hinterland.lab.models.model import GraphModel
from hinterland.lab.models.pennock import PennockModel
from hinterland.lab.models.preferential import PreferentialModel
from hinterland.lab.models.random_crawl import RandomCrawlModel
from hinterland.lab.models.uniform import UniformModel

MODELS: Final[dict[str, type[GraphModel]]] = {
    "copying": CopyingModel,
    "random-crawl": RandomCrawlModel,
    "configuration": ConfigurationModel,
    "pennock": PennockModel,
    "preferential": PreferentialModel,
    "uniform": UniformModel,
}
"""The models by the names that `model` accepts. The fields of a model are its parameters."""
