"""Kumar, Raghavan, Rajagopalan & Tomkins, "Trawling the Web for Emerging Cyber-Communities" (WWW 1999).

It is reproduced as described in "The Web as a Graph" (PODS 2000).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.papers.paper import table
from hinterland.lab.commands.communities import CENTRES, FANS, core_counts
from hinterland.lab.trawling.fan_links import fan_links
from hinterland.library.graph_opening import open_graph

TITLE = "Trawling: the cores of The Web as a Graph (Kumar et al. 1999, 2000)"
GRAPHS = ("uci-ics-2020", "cnr-2000")

_MIN_HOSTS: Final = 3
_OPENING: Final = f"""\
A core C(i, j) has i pages that all link to the same j pages. The i pages are *fans*, the j pages *centres*. Each
table counts the cores found by elimination and generation. The number in parentheses counts only the cores whose fans
lie on i hosts or more. Four rules decide what counts. A fan links to at least {_MIN_HOSTS} other hosts (in the paper,
to 6 hosts of the whole web). A centre has at most 50 links from fans. Mirrors count once. Links within a host do not
count. The URLs of cnr-2000 are unknown, so its blocks stand for hosts. `python3 run.py communities FILE --table` counts
the cores of any crawl. In our copy of the paper the numbers of its table are missing, so we compare with its
statements."""
_CLOSING: Final = """\
As in the paper, elimination and generation leave a small residue, and they are quick: the whole table of
a graph takes one or two seconds. Counts fall with i and mostly with j.

Few cores have fans on i different hosts, because these are crawls of few hosts: the pages to which the menu of a host
links form a core on that host. The residue is dense for the same reason: hundreds of pages have dozens of links in
common, and every choice of j of these links is a core. So the cores of the residue are not counted, as in the paper's
table.

The few cores with fans on many hosts are communities. The paper says this of the vast majority of its cores. On
uci-ics-2020, the communities are copies of the same news on three hosts of the school. In the webfarm, they are the
sister projects Flask, Jinja and Werkzeug, and the guides of xarray, pandas and statsmodels to contributing with Git."""


def section(sources: Sequence[Path]) -> Iterator[str]:
    """Yield the section as Markdown blocks."""
    yield _OPENING
    for path in sources:
        graph = open_graph(path, with_names=False)
        hosts = graph.crawled.hosts
        found = fan_links(graph.crawled.links, hosts, min_hosts=_MIN_HOSTS)
        counts = {(each.fans, each.centres): each for each in core_counts(found, hosts)}
        yield (
            f"{graph.name}: {found.fans:,} pages are fans; {found.mirrors:,} of them are mirrors of others, and are"
            f" left out. {found.popular:,} centres have too many links from fans, and are left out."
            f" {found.links.link_count:,} links remain. Generation leaves {counts[3, 3].left_fans:,} fans for C(3, 3)"
            f" and {counts[6, 9].left_fans:,} for C(6, 9). The cores among these fans are not counted."
        )
        rows = ([i, *(f"{counts[i, j].generated:,} ({counts[i, j].diverse:,})" for j in CENTRES)] for i in FANS)
        yield table(["i \\ j", *map(str, CENTRES)], rows)
    yield _CLOSING
