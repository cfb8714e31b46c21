"""Writes a sitemap for each host of the farm, which has none, and reads them again.

    python -m benchmarks.audit_truth.sitemaps ROOT FOLDER

ROOT is the root folder of a set. FOLDER/HOST/sitemap.xml lists four in five of the pages of a host at random, also such
that no page links to and that robots.txt forbids, its root, which redirects, and a page that does not exist. The server
has to send it as /sitemap.xml of the host, and the store has to be crawled after that.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from typing import Final
from urllib.parse import quote

_LISTED: Final = 0.8
_LOCATION: Final = re.compile(r"<loc>(.*?)</loc>")


def write_sitemaps(root: Path, folder: Path) -> None:
    """Write the sitemaps of all hosts of a farm."""
    dice = random.Random(1)
    for host in sorted(each for each in (root / "www").iterdir() if each.is_dir()):
        pages = sorted(f"/{quote(str(each.relative_to(host)))}" for each in host.rglob("*.html"))
        listed = ["/", "/gone.html", *(each for each in pages if dice.random() < _LISTED)]
        entries = "".join(f"<url><loc>{escape(f'http://{host.name}{each}')}</loc></url>\n" for each in listed)
        (folder / host.name).mkdir(parents=True, exist_ok=True)
        text = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
        (folder / host.name / "sitemap.xml").write_text(text, encoding="utf-8")


def listed_in(folder: Path) -> Iterator[str]:
    """Yield the URLs that the sitemaps in a folder list, as written."""
    for path in folder.glob("*/sitemap.xml"):
        yield from (unescape(found) for found in _LOCATION.findall(path.read_text(encoding="utf-8")))


def main() -> None:
    """Write the sitemaps into the folder that is named."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("root", type=Path)
    arguments.add_argument("folder", type=Path)
    given = arguments.parse_args()
    write_sitemaps(given.root, given.folder)


if __name__ == "__main__":
    main()
