"""Plug-ins of others, as files and as installed packages."""

from __future__ import annotations

from pathlib import Path

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


def install(site: Path, group: str, line: str, *, package: str = "newest-orders") -> None:
    """What installing a package leaves in a folder of packages: a module with NEWEST, and an entry point."""
    module = package.replace("-", "_")
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / f"{module}.py").write_text(NEWEST, encoding="utf-8")
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{line}\n", encoding="utf-8")
