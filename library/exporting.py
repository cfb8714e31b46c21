"""Exports pages and links of a store in other formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Final

from hinterland.crawler.parsing.extraction.rules import TableRules
from hinterland.crawler.parsing.extraction.tables import columns_of
from hinterland.crawler.plugins.kinds import EXPORTER
from hinterland.crawler.settings.near_names import with_nearest
from hinterland.distribution.extras import MissingExtra, MissingPackage
from hinterland.library.errors import HinterlandError, StoreUnusable, require_known
from hinterland.library.format_options import chosen_options_of, form_for
from hinterland.library.notes import warned
from hinterland.library.plugin_tables import enter_plugins, require
from hinterland.library.public_copies import PublicStore, public_store, write_public_copy
from hinterland.library.rule_choice import stored_tables
from hinterland.library.since import moment_of
from hinterland.library.text.wording import printable
from hinterland.library.uses import Corpus, uses_named
from hinterland.storage.exports import FORMATS
from hinterland.storage.exports.destinations import DestinationTaken, new_file, new_folder
from hinterland.storage.exports.format import FileFormat, FolderFormat, GraphFormat, Written
from hinterland.storage.exports.source import ExportSource, Selection
from hinterland.storage.public_copy import copy_store, fetched_pages
from hinterland.storage.reading.opening import reading
from hinterland.storage.reading.reader import StoreReader
from hinterland.storage.warc.cdxj import INDEX_NAME, finished_files, write_index

CDXJ: Final = "cdxj"
"""The format that rebuilds the index of a folder of WARC files."""
STORE: Final = "store"
"""The format that copies the store into another store."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export.

    `target` is the file or folder, "" for a stream. `notes` are further sentences for the user.
    """

    written: Written
    target: str
    notes: Sequence[str] = ()


def export(
    store: str | Path,
    format_name: str,
    target: str | Path | BinaryIO | None = None,
    *,
    what: str | None = None,
    table: str | None = None,
    local_only: bool = False,
    with_text: bool = False,
    usage: str | None = None,
    public: bool = False,
    since: str | Path | datetime | None = None,
    options: Mapping[str, object] = MappingProxyType({}),
    estimator: str | None = None,
    force: bool = False,
    is_terminal: bool = False,
    plugins: Sequence[str | Path] = (),
    on_progress: Callable[[int, int], None] = lambda _done, _of: None,
    note: Callable[[str], None] = warned,
) -> Exported:
    """Write pages or links of a store in another format, as `hinterland export` does with options of these names.

    `target` is a file, a folder or a binary stream. None means a file in the working directory with the store's name
    and another suffix. `usage` is the purpose of the export: search, ai-input, train-ai or any. Pages whose sites
    disallow that use are left out and counted, and a manifest is written beside a file. `public` leaves out pages that
    a login opened, and pages to which only such pages lead. `since` leaves out pages that have not changed since a
    date, or since the newest page in an earlier export, given as its path. `options` are the format's own options, such
    as {"tokens": 300} for chunks. `is_terminal` means that the stream is a terminal, which accepts text only.
    `on_progress` is called with the number of pages done and the number of all pages. `note` is called if ranks should
    be exported but the store has no ranks.

    Raises HinterlandError for options that contradict each other and for a target that cannot be written,
    MissingPackage for a package that the format needs, NoStore, and BrokenPipeError if the reader of a stream goes
    away.
    """
    enter_plugins([str(each) for each in plugins])
    require(EXPORTER, format_name, (CDXJ, STORE))
    path = Path(store)
    try:
        if format_name == CDXJ:
            return _archive_indexed(path)
        if format_name == STORE:
            if what or table or local_only or usage or options or since is not None:
                raise HinterlandError("--format store copies all of a store; only --public leaves something out")
            return _copied(path, target or f"{path.stem}.copy{path.suffix}", public=public)
        format_ = form_for(FORMATS[format_name], target)
        kind = _what(what or ("records" if table else None), format_name, format_.what)
        if table and kind != "records":
            raise HinterlandError(f"--table is for records, so it cannot be combined with --what {kind}")
        uses = uses_named(usage) if usage else ()
        if uses and kind == "links":
            raise HinterlandError("--usage is for pages and records; links are not the content of a page")
        if isinstance(format_, GraphFormat):
            if options or since is not None:
                raise HinterlandError(f"--since and options of formats do not apply to --format {format_name}")
            if local_only:
                raise HinterlandError(f"--local-only does not apply to --format {format_name}, which writes all links")
            format_.needs()
            folder = _folder(format_name, target or f"{path.stem}{format_.suffix}")
            with _shown(path, public=public) as shown:
                return _graph(shown, format_, folder, force=force)
        if isinstance(format_, FileFormat):
            format_.needs()
            if is_terminal and not format_.is_text:
                raise HinterlandError("this format is binary, and stdout is a terminal; name a file with --output PATH")
        else:
            _folder(format_name, target or "")
            format_.needs()
        if since is not None and kind != "pages":
            raise HinterlandError(f"--since is for pages; {kind} have no date of their own")
        chosen_options = chosen_options_of(format_name, format_, options)
        whole = [each for each in options if format_.options[each].takes_all]
        if whole and (public or uses):
            raise HinterlandError(f"{whole[0]} exports whole archives; it cannot be combined with --public or --usage")
        changed_since = 0.0 if since is None else moment_of(since)
        with _shown(path, public=public) as shown, reading(shown.path) as reader:
            wants_ranks = format_.has_ranks or (len(format_.what) > 1 and kind == "pages")
            ranks = estimator_to_export(reader.ranks.estimators(), estimator, note, wants_ranks=wants_ranks)
            selection = Selection(
                ranks,
                local_only,
                with_text or format_name == "opensearch",
                changed_since=changed_since,
                options=chosen_options,
            )
            if kind == "records":
                chosen = _table(reader, table)
                selection = replace(selection, table=chosen.name, columns=columns_of(chosen))
            if uses:  # what is left out is decided before: no page may be fetched or change in between
                reader.connection.execute("BEGIN")
            corpus = Corpus(reader, uses) if uses else None
            if corpus is not None:
                selection = replace(selection, without=corpus.refused.pages)
            name = f".{selection.table or kind}" if len(format_.what) > 1 else ""
            to = target or f"{path.stem}{name}{format_.suffix}"
            source = ExportSource(reader, selection, on_progress)
            if isinstance(format_, FolderFormat):
                with new_folder(_folder(format_name, to), format_.names, force=force) as folder:
                    written = format_.write(source, kind, folder)
            else:
                with _file(to, force=force) as file:
                    written = format_.write(source, kind, file)
                    file.flush()
            written = replace(written, left_out={**written.left_out, **shown.left_out})
            if corpus is None:
                return Exported(written, _name(to))
            left_out = {**written.left_out, **corpus.left_out()}
            manifest = corpus.write_manifest(_name(to), local_only=local_only)
            return Exported(replace(written, left_out=left_out), _name(to), manifest)
    except MissingExtra:
        raise
    except (DestinationTaken, MissingPackage) as error:
        raise HinterlandError(printable(str(error))) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise HinterlandError(f"the export cannot be written: {error}") from None


def _archive_indexed(folder: Path) -> Exported:
    if not folder.is_dir():
        raise StoreUnusable(f"{folder} is not a folder; --format cdxj indexes the WARC files in a folder")
    if not finished_files(folder):
        raise StoreUnusable(f"{folder} holds no WARC files for --format cdxj to index")
    return Exported(Written(write_index(folder), "responses", {}), str(folder / INDEX_NAME))


def _shown(path: Path, *, public: bool) -> AbstractContextManager[PublicStore]:
    """Return a context with the store to export.

    It is the given store or, for a public export, a store without what only a login may see.
    """
    return public_store(path) if public else nullcontext(PublicStore(path, {}))


def _copied(path: Path, target: str | Path | BinaryIO, *, public: bool) -> Exported:
    if not isinstance(target, str | Path):
        raise HinterlandError("--format store writes a file; name it with --output PATH")
    if Path(target).exists():
        raise HinterlandError(f"{target} exists already; choose another name")
    part = Path(f"{target}.part")
    part.unlink(missing_ok=True)
    try:
        if public:
            left_out = write_public_copy(path, part)
        else:
            with reading(path) as reader:
                copy_store(reader.connection, part)
            left_out = {}
        with reading(part) as copied:
            count = fetched_pages(copied.connection)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return Exported(Written(count, "pages", left_out), str(target))


def _graph(store: PublicStore, format_: GraphFormat, target: Path, *, force: bool) -> Exported:
    from hinterland.analysis.stored_graph import UnusableGraph  # brings numpy, which other formats do without

    with new_folder(target, format_.names, force=force) as folder:
        try:
            written, notes = format_.write(store.path, folder)
        except UnusableGraph as error:
            raise HinterlandError(str(error)) from error
    left_out = {**written.left_out, **store.left_out}
    return Exported(replace(written, left_out=left_out), str(target), notes)


def _folder(format_name: str, target: str | Path | BinaryIO) -> Path:
    if not isinstance(target, str | Path):
        raise HinterlandError(f"--format {format_name} writes a folder of files; name it with --output PATH")
    return Path(target)


def _name(target: str | Path | BinaryIO) -> str:
    return str(target) if isinstance(target, str | Path) else ""


def _what(given: str | None, name: str, known: Sequence[str]) -> str:
    if given is not None and given not in known:
        raise HinterlandError(f"--format {name} cannot write {given}; it writes {' or '.join(known)}")
    return given or known[0]


def _table(store: StoreReader, given: str | None) -> TableRules:
    """Return the table whose records are exported: the named one or else the only one. Raises HinterlandError."""
    tables = stored_tables(store)
    if not tables:
        raise StoreUnusable("the store has no records; `extract` and crawl --extract make them from pages")
    if given is not None:
        require_known("table", given, list(tables))
        return tables[given]
    first, *more = tables.values()
    if any(not table.is_of_feature for table in more):
        raise HinterlandError(f"name a table with --table: {', '.join(tables)}")
    return first


def _file(target: str | Path | BinaryIO, *, force: bool) -> AbstractContextManager[BinaryIO]:
    return new_file(Path(target), force=force) if isinstance(target, str | Path) else nullcontext(target)


def estimator_to_export(
    known: Sequence[str], given: str | None, note: Callable[[str], None] = warned, *, wants_ranks: bool
) -> str:
    """Return the estimator whose ranks are exported; call `note` if the store has no ranks.

    `known` are the estimators whose ranks are in the store. Raises HinterlandError.
    """
    if given is not None and given not in known:
        if not known:
            raise StoreUnusable("the store has no ranks yet; `rank` computes them")
        raise HinterlandError(with_nearest(f'the store has no ranks by "{given}"', given, known))
    if not known and wants_ranks:
        note("the store has no ranks yet, so none are exported; `rank` computes them")
    if given is not None:
        return given
    from hinterland.analysis.estimates.estimators import DEFAULT_ESTIMATOR  # brings numpy

    return DEFAULT_ESTIMATOR
