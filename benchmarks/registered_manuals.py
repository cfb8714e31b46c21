"""Manuals as Debian's packages register them (doc-base): what a packager calls each, and where it begins.

Neither the pages nor links to them were asked, so that the names are queries nobody wrote for a search engine, and the
front page is their right answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_INDEX: Final = re.compile(r"^Format:\s*HTML\s+Index:\s*(\S+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Manual:
    """name: as the package calls it, such as "krb5-doc.admin"; title: for people. url: of its front page."""

    name: str
    title: str
    url: str


def manuals(root: Path, sites: Path) -> Iterator[Manual]:
    """Those of a built set of the webfarm. root: its folder; sites: the file that says which tree is which host's."""
    trees = list(_trees(sites))
    files = root / "fs"
    for path in sorted((files / "usr/share/doc-base").iterdir()):
        text = path.read_text(encoding="utf-8", errors="replace")
        title, index = re.search(r"^Title:\s*(.+)$", text, re.MULTILINE), _INDEX.search(text)
        if title is None or index is None:
            continue
        place = os.path.realpath(files / index[1].lstrip("/")).removeprefix(f"{os.path.realpath(files)}/")
        for host, prefix, tree in trees:
            if place.startswith(f"{tree}/"):
                yield Manual(path.name, title[1].strip(), f"http://{host}{prefix}{place.removeprefix(tree)}")
                break


def _trees(sites: Path) -> Iterator[tuple[str, str, str]]:
    """(host, path, folder) of each tree."""
    host = ""
    for line in sites.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[:1] == ["site"]:
            host = words[2]
        elif words[:1] == ["map"]:
            yield host, words[1].rstrip("/"), words[3].rstrip("/")


PROJECTS: Final = {
    "docs.python.org": "python", "www.sphinx-doc.org": "sphinx", "flask.palletsprojects.com": "flask",
    "jinja.palletsprojects.com": "jinja", "werkzeug.palletsprojects.com": "werkzeug",
    "requests.readthedocs.io": "requests", "docs.scrapy.org": "scrapy", "pygments.org": "pygments",
    "pillow.readthedocs.io": "pillow", "ipython.readthedocs.io": "ipython", "docs.sqlalchemy.org": "sqlalchemy",
    "www.postgresql.org": "postgresql", "www.sqlite.org": "sqlite", "docs.djangoproject.com": "django",
    "git-scm.com": "git", "httpd.apache.org": "apache httpd", "nodejs.org": "nodejs", "docs.xarray.dev": "xarray",
    "docs.h5py.org": "h5py", "vimhelp.org": "vim", "www.postfix.org": "postfix", "docs.scipy.org": "scipy",
    "pandas.pydata.org": "pandas", "scikit-learn.org": "scikit-learn", "debian-handbook.info": "debian handbook",
    "www.debian.org": "debian", "www.kernel.org": "linux kernel", "doc.rust-lang.org": "rust",
    "www.boost.org": "boost", "docs.oracle.com": "java", "doc.qt.io": "qt", "www.erlang.org": "erlang",
    "downloads.haskell.org": "ghc", "gcc.gnu.org": "libstdc++", "docs.gtk.org": "gtk 4",
    "developer.gnome.org": "gtk 3", "cmake.org": "cmake", "llvm.org": "llvm", "clang.llvm.org": "clang",
    "docs.twisted.org": "twisted", "docs.sympy.org": "sympy", "scikit-image.org": "scikit-image",
    "www.statsmodels.org": "statsmodels", "docs.dask.org": "dask", "en.cppreference.com": "cppreference",
    "petsc.org": "petsc", "www.freepascal.org": "free pascal", "docs.wxwidgets.org": "wxwidgets",
    "docs.openstack.org": "openstack", "docs.groovy-lang.org": "groovy", "ant.apache.org": "ant",
    "commons.apache.org": "commons lang", "help.libreoffice.org": "libreoffice", "docs.octave.org": "octave",
    "cran.r-project.org": "r", "anarchistfaq.org": "anarchist faq", "web.mit.edu": "kerberos",
    "www.exim.org": "exim", "bind9.readthedocs.io": "bind", "pylint.readthedocs.io": "pylint",
    "numba.readthedocs.io": "numba", "praw.readthedocs.io": "praw", "unicode-org.github.io": "icu",
    "nim-lang.org": "nim", "docs.buildbot.net": "buildbot", "eigen.tuxfamily.org": "eigen", "www.fltk.org": "fltk",
    "docs.gap-system.org": "gap",
}  # fmt: skip
"""Host -> what people call the project; written down before the first answer was seen."""


def first_seeds(sites: Path) -> dict[str, str]:
    """Host -> the URL of the page at which one enters it."""
    seeds: dict[str, str] = {}
    host = ""
    for line in sites.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[:1] == ["site"]:
            host = words[2]
        elif words[:1] == ["seed"]:
            seeds.setdefault(host, f"http://{host}{words[1]}")
    return seeds
