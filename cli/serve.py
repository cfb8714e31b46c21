"""`serve`: shows a store in a browser."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hinterland.cli.command_parser import CommandParser, add_also, add_settings_options, add_store
from hinterland.cli.exit_codes import OK
from hinterland.cli.output import Output, say
from hinterland.cli.settings_sources import settings_of
from hinterland.distribution.extras import need
from hinterland.distribution.installation import PROGRAM
from hinterland.library.errors import HinterlandError
from hinterland.library.public_copies import shown_by_logins
from hinterland.library.text.wording import counted, shell_file
from hinterland.library.unjoined_shards import unjoined_shards
from hinterland.storage.no_store import NoStore
from hinterland.storage.reading.opening import reading

if TYPE_CHECKING:
    from hinterland.crawler.settings import SearchSettings
    from hinterland.search.saved_queries import SavedQuery
    from hinterland.web.application import Application
    from hinterland.web.mounted_service import MountedService
    from hinterland.web.review_page import Review
    from hinterland.web.search_service import ReloadingIndex

_HIGHEST_PORT = 65_535
_PATH = re.compile(r"(/[A-Za-z0-9_.~-]+)*/?")
"""The path of a base URL, without characters that would need escaping."""

_WARNING = (
    "hinterland: other machines can reach {host}, and anyone there can read the whole store: there is no login. Put a"
    " server with a login in front of it."
)
_LOGIN_WARNING = (
    "hinterland: the crawl read {pages} with a login. Anyone who can reach {host} can read them without one. To leave"
    " them out, use --public."
)

EXAMPLES = """\
examples:
  python3 run.py serve
      search, pages, hosts and the crawl of hinterland.db in a browser: http://127.0.0.1:8765/
  python3 run.py serve big.db --port 9000 --index /srv/big.index
      another store, another port, an index that does not lie beside the store
  python3 run.py serve big.db --topic gardening
      asks yes or no about the pages of big.db that the topic is least sure of, at /review
  python3 run.py serve docs.db --also wiki.db --also blog.db
      three stores searched as one, each with its own pages
  python3 run.py serve big.db --set sitemaps.indexnow=true
      accepts notices of changes (IndexNow) at /indexnow, for the next recrawl of big.db
  python3 run.py serve docs.db --replay archive
      also shows archived pages as they were, on the next port (docs/archives.md)
  python3 run.py serve intranet.db --public
      without the pages that a login showed: a copy, intranet.public.db, as the store is now (docs/access.md)
  python3 run.py serve docs.db --mcp
      also answers language models, at /mcp (docs/mcp.md)
  python3 run.py serve mine.db
      while mine.db is being crawled: the live crawl, at /crawl

Pages, JSON (/api/openapi.json) and metrics (/metrics) only read the store. They are for this machine only unless --host
says otherwise. There is no login, so put a server with a login in front before others can reach it.
"""


def port(text: str) -> int:
    """Return a TCP port, 0 to 65,535. Raises ArgumentTypeError."""
    if not text.isdecimal() or int(text) > _HIGHEST_PORT:
        raise ArgumentTypeError(f"{text!r} is not a port: write a number from 0 to {_HIGHEST_PORT}")
    return int(text)


def base_url(text: str) -> str:
    """Return a base URL without a final slash. Raises ArgumentTypeError."""
    parts = urlsplit(text)
    is_plain = not (parts.query or parts.fragment or parts.username) and _PATH.fullmatch(parts.path)
    if parts.scheme not in ("http", "https") or not parts.netloc or not is_plain:
        raise ArgumentTypeError(
            f"{text!r} is not a base URL: write http:// or https://, a host and perhaps folders of plain letters"
        )
    return text.rstrip("/")


def add_arguments(command: CommandParser) -> None:
    """Add the options of `serve`."""
    add_store(command)
    command.add_argument("--index", metavar="DIR", help="the search index (default: beside the store, FILE.index)")
    add_also(command)
    command.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen (default: %(default)s)"
    )
    command.add_argument(
        "--port", type=port, default=8765, metavar="N", help="the port (default: %(default)s; 0: any free port)"
    )
    command.add_argument(
        "--base-url",
        type=base_url,
        metavar="URL",
        help="the URL for browsers if a proxy is in front, such as https://a.example/crawl",
    )
    command.add_argument("--queries", metavar="FILE", help="a file of saved queries; each has a feed (docs/serving.md)")
    command.add_argument(
        "--topic", metavar="NAME", help="ask at /review whether pages of the store are about this topic"
    )
    command.add_argument(
        "--mcp", action="store_true", help="answer language models at /mcp (Model Context Protocol, Streamable HTTP)"
    )
    command.add_argument(
        "--public",
        action="store_true",
        help="leave out what a login opened: serve a copy, FILE.public.db, with its own index (docs/access.md)",
    )
    command.add_argument(
        "--replay",
        metavar="ARCHIVE",
        help="also show the pages of an archive as they were: a folder of WARC files, such as `crawl --warc` writes, a"
        " WARC, ARC or WACZ file, or a store with kept bodies (docs/archives.md)",
    )
    command.add_argument(
        "--replay-port",
        type=port,
        default=None,
        metavar="N",
        help="the port of the archived pages, which makes them an origin of their own (default: that of --port plus 1)",
    )
    add_settings_options(command)


def run(arguments: Namespace) -> int:
    """Serve a store until Ctrl-C; returns the exit code. Raises HinterlandError if it cannot listen."""
    with ExitStack() as opened:
        return _served(arguments, opened)


def _served(arguments: Namespace, opened: ExitStack) -> int:
    # Imported only now, so that --help need not wait:
    import uvloop

    from hinterland.web.security import is_loopback
    from hinterland.web.server import CannotListen, serve

    if arguments.public:
        _choose_public_copies(arguments)
    store, host = Path(arguments.store), str(arguments.host)
    parts = unjoined_shards(store)
    app = _of_parts(store, parts, arguments) if parts else _of_store(store, arguments)
    replay = _replay(arguments, opened)

    def ready(port: int) -> None:
        if not is_loopback(host):
            print(_WARNING.format(host=host), file=sys.stderr)
            if behind := _shown_by_logins([store, *parts.values(), *map(Path, arguments.also or ())]):
                print(_LOGIN_WARNING.format(host=host, pages=counted(behind, "page")), file=sys.stderr)
        shown = f"[{host}]" if ":" in host else host
        what = f"the {len(parts)} shards of {store}, which does not exist yet" if parts else store
        Output(sys.stdout).write(f"http://{shown}:{port}/ shows {what}. Ctrl-C ends it.")
        if replay is not None:
            Output(sys.stdout).write(f"http://{shown}:{replay[1]}/ shows the pages in {arguments.replay} as they were.")

    try:
        uvloop.run(serve(app, host, arguments.port, ready, replay))
    except CannotListen as error:
        raise HinterlandError(
            f"cannot listen on {host}, port {error.port}: {error}; --port 0 takes any free port"
        ) from None
    return OK


def _choose_public_copies(arguments: Namespace) -> None:
    """Replace the stores to be served by their public copies. Raises HinterlandError."""
    from hinterland.crawler.features.sitemaps.settings import SitemapSettings
    from hinterland.library.public_copies import public_copy_of

    for option in ("index", "replay", "topic"):
        if getattr(arguments, option):
            raise HinterlandError(f"--{option} may reveal what a login opened, so it cannot be combined with --public")
    if settings_of(arguments).settings.of(SitemapSettings).indexnow:
        raise HinterlandError("--public serves a copy, which takes no notices: leave sitemaps.indexnow out")
    arguments.store = str(public_copy_of(Path(arguments.store)))
    arguments.also = [str(public_copy_of(Path(other))) for other in arguments.also]


def _replay(arguments: Namespace, opened: ExitStack) -> tuple[Application, int] | None:
    """Return the application for archived pages and its port; None if no archive is shown. Raises HinterlandError."""
    if arguments.replay is None:
        return None
    from hinterland.library.replayed_archives import archive_folder
    from hinterland.web.replay.application import replay_application
    from hinterland.web.security import is_loopback

    if not arguments.port and arguments.replay_port is None:
        raise HinterlandError("--replay with --port 0 needs a port of its own: --replay-port N")
    archive, port = Path(arguments.replay), _replay_port(arguments)
    try:
        folder = opened.enter_context(archive_folder(archive))
        return replay_application(folder, only_this_machine=is_loopback(str(arguments.host))), port
    except OSError as error:
        raise HinterlandError(f"the archive {archive} cannot be read: {error}") from error


def _replay_port(arguments: Namespace) -> int:
    return 0 if arguments.replay is None else arguments.replay_port or arguments.port + 1


def _shown_by_logins(stores: Iterable[Path]) -> int:
    """Return how many visited pages of these stores were opened by a login."""
    return sum(shown_by_logins(each) for each in stores if each.exists())


def _of_parts(store: Path, parts: Mapping[int, Path], arguments: Namespace) -> Application:
    """Return the application for a crawl in shards that are not yet joined.

    Raises HinterlandError for options that need one store.
    """
    from hinterland.web.combined_application import shards_application
    from hinterland.web.security import is_loopback

    for option in ("index", "also", "queries", "topic", "mcp"):
        if getattr(arguments, option):
            raise HinterlandError(
                f"--{option} needs the joined store: {store} is made from its shards when the crawl ends"
            )
    return shards_application(
        parts,
        _searches_of(store, settings_of(arguments).settings.search),
        only_this_machine=is_loopback(str(arguments.host)),
        base_url=arguments.base_url or "",
    )


def _of_store(store: Path, arguments: Namespace) -> Application:
    from hinterland.crawler.features.sitemaps.settings import SitemapSettings
    from hinterland.library.index_folders import index_to_search, opened_indexes, require_distinct
    from hinterland.search.index.scoring import rules_in
    from hinterland.search.site_rules import BadSiteRules
    from hinterland.web.application import application
    from hinterland.web.combined_application import add_stores_below
    from hinterland.web.search_service import ReloadingIndex
    from hinterland.web.security import is_loopback
    from hinterland.web.served_stores import served_stores

    host = str(arguments.host)
    _look_at(store)
    require_distinct(store, arguments.also)
    folder = index_to_search(store, arguments.index, say)
    command = f"{PROGRAM} index {shell_file(str(store))}"
    if arguments.index:
        command += f" --index {shell_file(str(arguments.index))}"
    given = settings_of(arguments).settings
    settings = given.search
    try:
        rules_in(settings.site_rules)
    except BadSiteRules as error:
        raise HinterlandError(str(error)) from error
    also = [str(other) for other in arguments.also]
    searches = ReloadingIndex(folder, lambda folder: opened_indexes(folder, store, also, settings, say), command)
    stores = served_stores(str(store), also)
    review = _review(str(arguments.topic), store, host) if arguments.topic else None
    app = application(
        store,
        searches,
        only_this_machine=is_loopback(host),
        review=review,
        base_url=arguments.base_url or "",
        saved=_saved(Path(arguments.queries)) if arguments.queries else (),
        takes_notices=given.of(SitemapSettings).indexnow,
        stores=stores,
        services=_services(store, also, arguments, settings) if arguments.mcp else (),
        replay_port=_replay_port(arguments),
    )
    for other in also:
        _look_at(Path(other))
    others = [_searches_of(Path(other), settings) for other in also]
    add_stores_below(app, stores, others, only_this_machine=is_loopback(host), base_url=arguments.base_url or "")
    return app


def _services(
    store: Path, also: Sequence[str], arguments: Namespace, settings: SearchSettings
) -> Sequence[MountedService]:
    """Return the service that --mcp adds to the server. Raises MissingExtra."""
    need("mcp", by="`serve --mcp`")
    from hinterland.web.assistants.asked_stores import AskedStores
    from hinterland.web.assistants.http_service import HttpService

    indexes = {store: Path(arguments.index)} if arguments.index else {}
    return [HttpService(AskedStores([store, *map(Path, also)], settings, indexes=indexes))]


def _searches_of(store: Path, settings: SearchSettings) -> ReloadingIndex:
    """Return the search service of one store. It opens the index again when the index has changed."""
    from hinterland.search.index.index_location import index_of
    from hinterland.search.index.searcher import SearchIndex
    from hinterland.web.search_service import ReloadingIndex

    command = f"{PROGRAM} index {shell_file(str(store))}"
    return ReloadingIndex(index_of(store), lambda folder: SearchIndex(folder, settings, store=store), command)


def _review(name: str, store: Path, host: str) -> Review:
    """Return the object by which users review pages for a topic. Raises HinterlandError."""
    from hinterland.crawler.features.topics.files.review_session import POOL, ReviewSession
    from hinterland.crawler.features.topics.files.stored_pages import sampled_pages
    from hinterland.crawler.features.topics.files.topic_files import NoTopic, path_of
    from hinterland.web.review_page import Review
    from hinterland.web.security import is_loopback

    need("topics", by="`serve --topic`")
    if not is_loopback(host):
        raise HinterlandError(f"--topic works on this machine only, not on {host}: without a login anyone could answer")
    try:
        with reading(store) as reader:
            return Review(ReviewSession(path_of(name), sampled_pages(reader, POOL)))
    except NoTopic as error:
        raise HinterlandError(str(error)) from error


def _saved(path: Path) -> Sequence[SavedQuery]:
    """Read the saved queries. Raises HinterlandError."""
    from hinterland.search.saved_queries import BadQueries, read_queries

    try:
        return read_queries(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, BadQueries) as error:
        raise HinterlandError(f"the queries in {path} cannot be used: {error}") from error


def _look_at(store: Path) -> None:
    """Raise NoStore for a file that is not a store. A missing or empty file is accepted: a crawl may begin there."""
    try:
        with reading(store):
            pass
    except NoStore as error:
        if store.exists() and store.stat().st_size:
            raise
        print(f"hinterland: {error}. It will be shown as soon as a crawl begins there.", file=sys.stderr)
