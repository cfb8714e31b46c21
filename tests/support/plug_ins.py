"""Plug-ins of others, as files and as installed packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hinterland.analysis.estimates.estimators import ESTIMATORS
from hinterland.crawler.features.recrawl.policies import REVISIT_POLICIES
from hinterland.crawler.policies import GRAPH_POLICIES, POLICIES, TOPIC_POLICIES
from hinterland.library import plugin_tables
from hinterland.storage.exports import FORMATS

NEWEST = """\
from hinterland.policies import FixedOrder


class Newest(FixedOrder):
    def discovered(self, pages, depths):
        return pages.astype(float)


POLICIES = {"newest": Newest}
"""

TITLES = """\
from hinterland.exporters import FileFormat, Written

def write(source, what, file):
    rows = [page.url for pages in source.pages() for page in pages if page.state == "fetched"]
    file.write("\\n".join(rows).encode())
    return Written(len(rows), "titles", {})

EXPORTERS = {"titles": FileFormat(".md", ("pages",), write)}
"""


def install(site: Path, group: str, line: str, *, package: str = "newest-orders", text: str = NEWEST) -> None:
    """What installing a package leaves in a folder of packages: a module with this text, and an entry point."""
    module = package.replace("-", "_")
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / f"{module}.py").write_text(text, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{line}\n", encoding="utf-8")


@contextmanager
def tables_as_before() -> Iterator[None]:
    """What is entered in the tables in the block is known to nobody afterwards."""
    tables: list[dict[Any, Any]] = [POLICIES, GRAPH_POLICIES, TOPIC_POLICIES, ESTIMATORS, FORMATS, REVISIT_POLICIES]
    tables += [plugin_tables._ORIGINS, plugin_tables._CLASSIFIERS, plugin_tables._FEATURES]
    before = [dict(table) for table in tables]
    try:
        yield
    finally:
        for table, content in zip(tables, before, strict=True):
            table.clear()
            table.update(content)
