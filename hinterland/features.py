"""The base of features of a crawl in plug-ins; `hinterland.features` is also their entry-point group.

A feature is a subclass of `Feature` that can be created without arguments. If it defines the method `open`, this method
receives the components of the crawl (`Workings`) before the crawl begins.
"""

from hinterland.crawler.fetching.answers import Answer
from hinterland.crawler.loop.decisions.feature import Feature
from hinterland.crawler.loop.decisions.moments import Ended, PagesFound, ReadPage, UpkeepJob
from hinterland.crawler.loop.workings import Workings
from hinterland.crawler.parsing.extraction.tables import table_of_feature
from hinterland.storage.values.extraction import ExtractedRecord

__all__ = [
    "Answer",
    "Ended",
    "ExtractedRecord",
    "Feature",
    "Found",
    "Job",
    "PagesFound",
    "ReadPage",
    "UpkeepJob",
    "Workings",
    "table_of_feature",
]

Found, Job = PagesFound, UpkeepJob  # their earlier names
