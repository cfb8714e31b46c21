"""Do names of code and lines of commands find their page? Queries with the page that describes what they name.

    python -m benchmarks.identifiers STORE_INDEX

STORE_INDEX is the index of a crawl of the webfarm's small set, bodies kept. The pages were named by reading the
documentation, not by looking at results. Printed: where the first right page stands, and MRR and hits at 1, 3 and 10.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.retrieval_measures import reciprocal_rank
from hinterland.search.answers import QueryError
from hinterland.search.index.searcher import SearchIndex

DEPTH: Final = 100

PYTHON: Final = "docs.python.org/3/"
DJANGO: Final = "docs.djangoproject.com/en/3.2/"
NODE: Final = "nodejs.org/docs/latest-v18.x/api/"
POSTGRES: Final = "www.postgresql.org/docs/15/"
SQLITE: Final = "www.sqlite.org/"
SQLALCHEMY: Final = "docs.sqlalchemy.org/en/14/"
GIT: Final = "git-scm.com/docs/"
HTTPD: Final = "httpd.apache.org/docs/2.4/en/"

NAMES: Final[dict[str, tuple[str, ...]]] = {
    "asyncio.gather": (f"{PYTHON}library/asyncio-task.html",),
    "__init__": (f"{PYTHON}reference/datamodel.html",),
    "__getattr__": (f"{PYTHON}reference/datamodel.html",),
    "dict.get()": (f"{PYTHON}library/stdtypes.html",),
    "str.join": (f"{PYTHON}library/stdtypes.html",),
    "os.path.join": (f"{PYTHON}library/os.path.html",),
    "os.path.join()": (f"{PYTHON}library/os.path.html",),
    "subprocess.run()": (f"{PYTHON}library/subprocess.html",),
    "collections.defaultdict": (f"{PYTHON}library/collections.html",),
    "functools.lru_cache": (f"{PYTHON}library/functools.html",),
    "itertools.chain.from_iterable": (f"{PYTHON}library/itertools.html",),
    "sys.argv": (f"{PYTHON}library/sys.html",),
    "re.compile": (f"{PYTHON}library/re.html",),
    "json.dumps": (f"{PYTHON}library/json.html",),
    "pathlib.Path.glob": (f"{PYTHON}library/pathlib.html",),
    "threading.Lock": (f"{PYTHON}library/threading.html",),
    "ModuleNotFoundError": (f"{PYTHON}library/exceptions.html",),
    "PYTHONHASHSEED": (f"{PYTHON}using/cmdline.html",),
    "Py_INCREF": (f"{PYTHON}c-api/refcounting.html",),
    "PyArg_ParseTuple": (f"{PYTHON}c-api/arg.html",),
    "concurrent.futures": (f"{PYTHON}library/concurrent.futures.html",),
    "C++": (f"{PYTHON}extending/building.html", f"{POSTGRES}ecpg-cpp.html", f"{NODE}addons.html"),
    "std::vector": (f"{NODE}embedding.html",),
    "node.js": (f"{NODE}index.html",),
    "fs.readFile": (f"{NODE}fs.html",),
    "process.nextTick()": (f"{NODE}process.html",),
    "child_process.spawn": (f"{NODE}child_process.html",),
    "http.createServer": (f"{NODE}http.html",),
    "Buffer.from": (f"{NODE}buffer.html",),
    "ERR_MODULE_NOT_FOUND": (f"{NODE}errors.html",),
    "pg_stat_activity": (f"{POSTGRES}monitoring-stats.html",),
    "max_connections": (f"{POSTGRES}runtime-config-connection.html",),
    "pg_dump": (f"{POSTGRES}app-pgdump.html",),
    "array_agg": (f"{POSTGRES}functions-aggregate.html",),
    "information_schema.tables": (f"{POSTGRES}infoschema-tables.html",),
    "sqlite3_open_v2": (f"{SQLITE}c3ref/open.html",),
    "sqlite3_prepare_v2()": (f"{SQLITE}c3ref/prepare.html",),
    "SQLITE_BUSY": (f"{SQLITE}rescode.html",),
    "core.autocrlf": (f"{GIT}git-config.html",),
    "push.default": (f"{GIT}git-config.html",),
    "GIT_DIR": (f"{GIT}git.html",),
    "INSTALLED_APPS": (f"{DJANGO}ref/settings.html",),
    "models.ForeignKey": (f"{DJANGO}ref/models/fields.html",),
    "QuerySet.select_related()": (f"{DJANGO}ref/models/querysets.html",),
    "django.contrib.auth": (f"{DJANGO}ref/contrib/auth.html", f"{DJANGO}topics/auth/index.html"),
    "get_object_or_404": (f"{DJANGO}topics/http/shortcuts.html",),
    "url_for()": ("flask.palletsprojects.com/en/latest/api.html",),
    "flask.Flask.route": ("flask.palletsprojects.com/en/latest/api.html",),
    "jinja2.Environment": ("jinja.palletsprojects.com/en/latest/api.html",),
    "requests.Session": ("requests.readthedocs.io/en/latest/api.html",),
    "scrapy.Request": ("docs.scrapy.org/en/latest/topics/request-response.html",),
    "response.follow_all": ("docs.scrapy.org/en/latest/topics/request-response.html",),
    "CONCURRENT_REQUESTS_PER_DOMAIN": ("docs.scrapy.org/en/latest/topics/settings.html",),
    "PIL.Image.open": ("pillow.readthedocs.io/en/stable/reference/Image.html",),
    "ImageDraw.text": ("pillow.readthedocs.io/en/stable/reference/ImageDraw.html",),
    "create_engine": (f"{SQLALCHEMY}core/engines.html",),
    "sessionmaker.begin": (f"{SQLALCHEMY}orm/session_api.html",),
    "h5py.File": ("docs.h5py.org/en/stable/high/file.html",),
    "mod_rewrite": (f"{HTTPD}mod/mod_rewrite.html", "httpd.apache.org/docs/2.4/tr/mod/mod_rewrite.html"),
    "smtpd_recipient_restrictions": ("www.postfix.org/postconf.5.html",),
    "autodoc_mock_imports": ("www.sphinx-doc.org/en/master/usage/extensions/autodoc.html",),
}
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "git commit --amend": (f"{GIT}git-commit.html",),
    "git rebase --onto": (f"{GIT}git-rebase.html",),
    "git log --oneline": (f"{GIT}git-log.html",),
    "git push --force-with-lease": (f"{GIT}git-push.html",),
    "git add -p": (f"{GIT}git-add.html",),
    "git clean -fdx": (f"{GIT}git-clean.html",),
    "python -m venv": (f"{PYTHON}library/venv.html",),
    "python -m http.server": (f"{PYTHON}library/http.server.html",),
    "python -m timeit -n": (f"{PYTHON}library/timeit.html",),
    "python -X importtime": (f"{PYTHON}using/cmdline.html",),
    "psql -c": (f"{POSTGRES}app-psql.html",),
    "pg_dump --schema-only": (f"{POSTGRES}app-pgdump.html",),
    "initdb --data-checksums": (f"{POSTGRES}app-initdb.html",),
    "node --inspect-brk": (f"{NODE}cli.html", f"{NODE}debugger.html"),
    "flask run --reload": (
        "flask.palletsprojects.com/en/latest/cli.html",
        "flask.palletsprojects.com/en/latest/server.html",
    ),
    "scrapy crawl -o": (
        "docs.scrapy.org/en/latest/topics/commands.html",
        "docs.scrapy.org/en/latest/intro/tutorial.html",
    ),
    "manage.py migrate --fake": (f"{DJANGO}ref/django-admin.html",),
    "sphinx-build -b html": ("www.sphinx-doc.org/en/master/man/sphinx-build.html",),
}


def places(index: SearchIndex, queries: dict[str, tuple[str, ...]]) -> dict[str, tuple[int, str]]:
    """Query -> (where the first right page stands, 0 if not among DEPTH; what stands first)."""
    found = {}
    for query, right in queries.items():
        try:
            urls = [hit.url.partition("://")[2] for hit in index.search(query, limit=DEPTH).hits]
        except QueryError:
            urls = []
        place = next((number for number, url in enumerate(urls, 1) if url in right), 0)
        found[query] = (place, next(iter(urls), ""))
    return found


def table(heading: str, found: dict[str, tuple[int, str]]) -> list[str]:
    """Return the lines of a table of queries and the places of their answers."""
    ranks = np.array([place for place, _ in found.values()])
    hits = [f"{int(((ranks > 0) & (ranks <= at)).sum())} in the first {at}" for at in (1, 3, 10)]
    lines = ["", f"{heading}: {len(ranks)} queries, MRR {reciprocal_rank(ranks).mean():.3f}, {', '.join(hits)}", ""]
    missed = {query: each for query, each in found.items() if each[0] != 1}
    return lines + [f"    {place or '-':>3}  {query:34} before it {first}" for query, (place, first) in missed.items()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Search for names and commands, and print where they are found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path)
    index = SearchIndex.open(parser.parse_args(arguments).index)
    print("\n".join([*table("Names", places(index, NAMES)), *table("Commands", places(index, COMMANDS))]))


if __name__ == "__main__":
    main()
