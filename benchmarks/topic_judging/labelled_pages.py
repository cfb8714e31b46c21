"""Pages of a crawl of the farm that are known to be about something, by the folder of the site in which they lie.

Sites write about one thing in one folder (`java/util/concurrent`, `scipy.linalg`), so an address can tell what a page
is about. That is known of few hosts each. A page elsewhere that is about it, too, counts as one that is not, so no
classifier can be right everywhere.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.crawler.features.topics.files.stored_pages import StoredPage, stored_page
from hinterland.storage.reading.opening import reading

OF_A_HOST: Final = 100
"""Pages of a host that are drawn whatever they are about."""
OF_A_TOPIC: Final = 60
"""Further pages of a host that are about a topic."""

Bools = NDArray[np.bool_]

TOPICS: Final[dict[str, dict[str, str]]] = {
    "sql database query": {
        "www.postgresql.org": "",
        "www.sqlite.org": "",
        "docs.sqlalchemy.org": "",
        "docs.oracle.com": r"/javax?[./]sql",
        "docs.groovy-lang.org": "groovy/sql/",
        "www.freepascal.org": "/fcl/(sqldb|db|sqltypes|bufdataset|dbf|mysql|ibconnection)",
        "help.libreoffice.org": "/sdatabase/",
        "docs.djangoproject.com": "/(db|models|migrations)/",
        "doc.qt.io": "qtsql|qsql",
    },
    "window button widget": {
        "doc.qt.io": "qtwidgets/|qtquick",
        "docs.gtk.org": "/gtk[34]/",
        "developer.gnome.org": "/gtk",
        "docs.wxwidgets.org": "/classwx.*(button|window|ctrl|dialog|frame|panel|menu|sizer|event|bar|list|box|dc|book)",
        "www.fltk.org": "/classFl",
        "docs.oracle.com": "javax/swing|java/awt",
        "docs.groovy-lang.org": "groovy/swing",
    },
    "statistics distribution regression": {
        "www.statsmodels.org": "",
        "docs.scipy.org": "stats",
        "scikit-learn.org": "",
        "docs.octave.org": "Stat|Distrib|Correl|Histog",
        "www.boost.org": "math_toolkit/(dist|stat)|accumulators",
    },
    "thread lock concurrent": {
        "docs.oracle.com": "java/util/concurrent|java/lang/Thread",
        "en.cppreference.com": "/cpp/(thread|atomic)",
        "doc.rust-lang.org": "/(std|core|alloc)/(sync|thread)/",
        "www.boost.org": "/html/(thread|fiber|atomic|lockfree)|libs/(fiber|thread|lockfree)",
        "docs.python.org": "thread|asyncio|multiproc|concurrent|/queue",
        "commons.apache.org": "lang3/concurrent",
        "downloads.haskell.org": "Control-Concurrent|Control-Monad-STM|GHC-Conc",
        "nim-lang.org": "thread|locks|async",
        "docs.gtk.org": "glib/.*(thread|mutex|cond|lock|atomic)",
        "docs.twisted.org": "internet.(defer|threads)",
    },
    "mail smtp message": {
        "www.postfix.org": "",
        "www.exim.org": "",
        "docs.twisted.org": "twisted.mail",
        "docs.python.org": "/(email|smtp|imap|pop|mailbox)",
    },
    "matrix vector linear": {
        "eigen.tuxfamily.org": "",
        "docs.scipy.org": r"scipy\.(linalg|sparse)",
        "petsc.org": "manualpages/(Mat|KSP|PC|Vec)/",
        "docs.octave.org": "Matri|Linear|Sparse",
        "docs.sympy.org": "matri",
        "www.boost.org": "ublas|qvm",
        "docs.gap-system.org": "chap2[345]",
    },
    "http request server": {
        "httpd.apache.org": "/en/|docs/2.4/[a-z]+/[a-z_]*.html",
        "docs.djangoproject.com": "request|/http|middleware|urls|views",
        "flask.palletsprojects.com": "",
        "werkzeug.palletsprojects.com": "",
        "docs.twisted.org": "twisted.web",
        "docs.python.org": "/(http|wsgi|urllib|cgi)",
        "docs.oracle.com": "java/net/http|httpserver",
        "requests.readthedocs.io": "",
    },
    "java class method": {
        "docs.oracle.com": "",
        "docs.groovy-lang.org": "",
        "ant.apache.org": "/api/",
        "commons.apache.org": "",
        "unicode-org.github.io": "/icu4j",
    },
    "dataframe column array": {
        "pandas.pydata.org": "",
        "docs.dask.org": "",
        "docs.xarray.dev": "",
        "docs.h5py.org": "",
    },
    "compiler optimization pass": {
        "llvm.org": "",
        "clang.llvm.org": "",
        "gcc.gnu.org": "",
        "numba.readthedocs.io": "",
        "www.freepascal.org": "/prog/",
    },
}
"""Three words that name a topic -> host -> what the path of a page about it contains (a regular expression)."""
TUNED_ON: Final = tuple(list(TOPICS)[:4])
"""The topics on which everything was chosen."""
LEFT_OUT: Final = tuple(list(TOPICS)[4:])
"""The topics on which it is reported."""


def is_about(topic: str, url: str) -> bool:
    """Return whether the page of a URL is about a topic."""
    host, _, path = url.split("://", 1)[1].partition("/")
    rule = TOPICS[topic].get(host)
    return rule is not None and re.search(rule, "/" + path) is not None


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPages:
    """Pages, and their hosts, shape (n,)."""

    pages: Sequence[StoredPage]
    hosts: NDArray[np.str_]

    @classmethod
    def read(cls, store: Path) -> LabelledPages:
        """Draw some pages of each host, and some more of each topic, so that small sites count."""
        with reading(store) as reader:
            numbers = reader.pages.numbers_fetched()
            random.Random(0).shuffle(numbers)
            urls = reader.pages.urls_of(numbers)
            taken: Counter[tuple[str, str]] = Counter()
            found = []
            for number in numbers:
                url = urls[number]
                host = url.split("/")[2]
                kinds = [(host, ""), *((host, topic) for topic in TOPICS if is_about(topic, url))]
                wanted = [kind for kind in kinds if taken[kind] < (OF_A_TOPIC if kind[1] else OF_A_HOST)]
                page = stored_page(reader, number) if wanted else None
                if page is not None:
                    taken.update(kinds)
                    found.append(page)
        return cls(found, np.array([page.host for page in found]))

    def about(self, topic: str) -> Bools:
        """Return which pages are about a topic, shape (n,)."""
        return np.array([is_about(topic, page.url) for page in self.pages], np.bool_)


def halves(hosts: NDArray[np.str_], is_about: Bools, seed: int) -> Bools:
    """Return which pages may be learnt from: those of half of the hosts with the topic, and of half of the others."""
    lot = random.Random(seed)
    chosen: set[str] = set()
    with_topic = {str(host) for host in np.unique(hosts[is_about])}
    for kind in (with_topic, {str(host) for host in np.unique(hosts)} - with_topic):
        of_kind = sorted(kind)
        lot.shuffle(of_kind)
        chosen |= set(of_kind[: (len(of_kind) + 1) // 2])
    return np.isin(hosts, sorted(chosen))


def drawn(hosts: NDArray[np.str_], among: Bools, count: int, seed: int) -> list[int]:
    """Return places of `count` pages, host after host in turn, so that none has most of them."""
    lot = random.Random(seed)
    of_host = {str(host): np.flatnonzero(among & (hosts == host)).tolist() for host in np.unique(hosts[among])}
    for places in of_host.values():
        lot.shuffle(places)
    order = sorted(of_host)
    lot.shuffle(order)
    found: list[int] = []
    while len(found) < count and any(of_host.values()):
        found.extend(of_host[host].pop() for host in order if of_host[host])
    return found[:count]
