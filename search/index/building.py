"""Builds the index of a store, or updates it."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hinterland.analysis.chunked import Allocator, Places, chunks, places_where
from hinterland.analysis.mmap_graph import zeros_in
from hinterland.search.deduplication import places_in
from hinterland.search.documents import SearchDocument
from hinterland.search.index.corpus import Corpus
from hinterland.search.index.digesting import Progress
from hinterland.search.index.document_ranks import write_ranks
from hinterland.search.index.index_folder import IndexFolder, IndexManifest, default_folder
from hinterland.search.index.index_plan import IndexPlan
from hinterland.search.index.suggesting import write_suggestions
from hinterland.search.index.vocabulary_update import VocabularyUpdate
from hinterland.search.index_failures import IndexInUse, NoIndex
from hinterland.search.index_report import IndexReport
from hinterland.search.store.document_store import DocumentStore, DocumentsUnreadable, document_store, is_sound
from hinterland.search.store.fields import FORMAT, STEMMERS
from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.term_index import IndexUnreadable, TermIndex
from hinterland.search.store.values.documents import DOCUMENT_VERSION, IndexedDocument
from hinterland.storage.lock import StoreInUse, StoreLock
from hinterland.storage.reading.opening import reading
from hinterland.storage.store_files import in_place
from hinterland.storage.store_mark import StoreMark, store_mark

_COMMIT: Final = 5_000
_BATCH: Final = 200
_FEW: Final = 0.01
"""A language with a smaller share of the documents gets no fields of its own."""
_MOST_LANGUAGES: Final = 6


def build(
    store: Path,
    folder: IndexFolder,
    *,
    with_outside: bool = False,
    least_relevance: float = 0.0,
    unlisted: Container[int] = frozenset(),
    rebuild: bool = False,
    estimator: str = "",
    left_out: Iterable[tuple[int, int]] = (),
    progress: Progress = lambda _what, _done, _of: None,
    clock: Callable[[], float] = time.time,
) -> IndexReport:
    """Build the index, or write what has changed since it was built.

    `least_relevance` is the minimum relevance of indexed pages to the topic of the crawl. An index of an earlier format
    is rebuilt. `unlisted` are pages to leave out, as if they said noindex. `left_out` holds links (source, target) to
    be ignored, for experiments.

    Raises NoIndex if the folder holds something other than an index or if, without `rebuild`, the index is damaged, of
    a later version or of a store with another name. Raises StoreGone if the store or the folder is deleted or replaced
    meanwhile; also NoStore and IndexInUse.
    """
    began = time.perf_counter()
    with reading(store) as reports:  # no folder is made for a store that cannot be read
        mark = store_mark(reports.connection)
        topic = "" if (known := reports.topics.topic()) is None else known.name
    folder.path.mkdir(parents=True, exist_ok=True)
    folder.require_own()
    with _sole_builder(folder):
        if rebuild or _is_of_another_crawl(folder, store, mark) or folder.is_of_earlier_version:
            _clear(folder)
        with (
            in_place(store, "read"),
            in_place(folder.path, "written"),
            _openable(folder),
            document_store(folder.documents, store) as documents,
        ):
            if rebuild:
                documents.forget_failed_digests()
            corpus = Corpus(
                documents,
                with_outside=with_outside,
                least_relevance=least_relevance,
                unlisted=unlisted,
                left_out=left_out,
                progress=progress,
                zeros=partial(zeros_in, folder.path),
            )
            plan = corpus.plan()
            terms, manifest = _terms(folder, store, mark, documents, plan)
            with VocabularyUpdate(folder, len(terms)) as words:
                counts = _write(terms, documents, corpus, plan, words, progress)
                words.write(corpus, plan.pages, progress)
            if counts.changed or not folder.has_compounds:
                progress("compounds", 0, 1)
                folder.write_compounds(terms.find_compounds())
            progress("PageRank", 0, 1)
            estimator, ranks = write_ranks(store, folder, plan, estimator, least_relevance)
            progress("suggestions", 0, 1)
            write_suggestions(folder, documents, plan, ranks)
        folder.write_manifest(
            replace(
                manifest,
                built_at=clock(),
                documents=len(terms),
                estimator=estimator,
                topic=topic,
                mark=mark,
                document_version=DOCUMENT_VERSION,
            )
        )
    written = counts.written
    return IndexReport(
        documents=len(terms),
        written=sum(written.values()),
        unchanged=counts.unchanged,
        removed=counts.removed,
        folded=plan.counts,
        extractions=plan.extractions,
        languages=dict(written.most_common()),
        unstemmed={
            language: count
            for language, count in written.most_common()
            if language in STEMMERS and language not in manifest.languages
        },
        estimator=estimator,
        cut=counts.cut,
        size_bytes=sum(file.stat().st_size for file in folder.path.rglob("*") if file.is_file()),
        seconds=time.perf_counter() - began,
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    written: Counter[str]
    unchanged: int
    removed: int
    cut: int

    @property
    def changed(self) -> int:
        """The number of documents that were written or removed."""
        return self.written.total() + self.removed


@contextmanager
def _sole_builder(folder: IndexFolder) -> Iterator[None]:
    lock = StoreLock(folder.path / "build")
    try:
        lock.acquire()
    except StoreInUse:
        raise IndexInUse(f"another `index` is building {folder.path}; wait for it to end") from None
    try:
        yield
    finally:
        lock.release()


def _is_of_another_crawl(folder: IndexFolder, store: Path, mark: StoreMark) -> bool:
    """Return whether another store has replaced the one that was indexed, under the same file name.

    Raises NoIndex if the manifest cannot be read. Also raises it if the index belongs to a store of another name,
    unless the index is in the default folder of this store.
    """
    if not folder.manifest.exists():
        return False
    known = folder.read_manifest(with_earlier=True)
    if known.mark is None or known.mark.origin == mark.origin:
        return False
    if Path(known.store).name != store.name and folder != default_folder(store):
        raise NoIndex(
            f"{folder.path} is the index of another store, {known.store}; replace it with `index --rebuild`, or"
            " choose another folder with --index"
        )
    return True


def _clear(folder: IndexFolder) -> None:
    """Delete the index, but keep the digests if they are readable.

    Making digests takes most of the time of a build. They can be kept because each digest records what it was made
    from.
    """
    folder.manifest.unlink(missing_ok=True)
    if folder.terms.exists():
        shutil.rmtree(folder.terms)
    if folder.documents.exists() and not is_sound(folder.documents):
        for path in folder.path.glob(f"{folder.documents.name}*"):
            path.unlink()


@contextmanager
def _openable(folder: IndexFolder) -> Iterator[None]:
    try:
        yield
    except (DocumentsUnreadable, IndexUnreadable) as error:
        raise NoIndex(f"the index in {folder.path} is damaged ({error}); `index --rebuild` rebuilds it") from error


def _terms(
    folder: IndexFolder, store: Path, mark: StoreMark, documents: DocumentStore, plan: IndexPlan
) -> tuple[TermIndex, IndexManifest]:
    if folder.manifest.exists():
        manifest = folder.read_manifest()
        return TermIndex.open(folder.terms, manifest.languages), manifest
    if folder.terms.exists():  # a build that was killed before it had a manifest
        shutil.rmtree(folder.terms)
    folder.terms.mkdir()
    languages = _languages(documents.languages(), len(plan.pages))
    manifest = IndexManifest(FORMAT, str(store), languages, 0.0, 0, "", mark=mark)
    terms = TermIndex.create(folder.terms, manifest.languages)
    folder.write_manifest(manifest)
    return terms, manifest


def _languages(counts: Mapping[str, int], documents: int) -> tuple[str, ...]:
    """Return the languages that get fields of their own, the most frequent first."""
    frequent = [language for language, count in counts.items() if language in STEMMERS and count >= _FEW * documents]
    return tuple(sorted(frequent, key=lambda language: -counts[language])[:_MOST_LANGUAGES])


def _write(
    terms: TermIndex,
    store: DocumentStore,
    corpus: Corpus,
    plan: IndexPlan,
    words: VocabularyUpdate,
    progress: Progress,
) -> _Counts:
    changed, removed = _changed(terms, plan, partial(zeros_in, store.folder))
    written = Counter[str]()
    cut = 0
    for start in range(0, len(changed), _BATCH):
        progress("documents", start, len(changed))
        part = slice(start, start + _BATCH)
        batch = corpus.documents(plan.pages[changed[part]].tolist())
        prints = dict(zip(plan.pages[changed[part]].tolist(), plan.fingerprints[changed[part]].tolist(), strict=True))
        store.write_documents(map(_shown, batch))
        terms.write(_searchable(document, prints[document.page]) for document in batch)
        words.add(batch)
        written.update(document.language for document in batch)
        cut += sum(document.is_cut for document in batch)
        if start // _COMMIT != (start + _BATCH) // _COMMIT:
            terms.commit()
    terms.close()
    store.forget_other_documents(plan.pages)
    progress("documents", len(changed), len(changed))
    return _Counts(written, len(plan.pages) - len(changed), removed, cut)


def _changed(terms: TermIndex, plan: IndexPlan, zeros: Allocator) -> tuple[Places, int]:
    """Remove documents that are not in the plan. Return which documents to write, and how many were removed.

    The documents to write are given as ascending indices in the plan.
    """
    known, fingerprints = terms.known(zeros)
    removed = 0
    for part in chunks(len(known)):
        gone = known[part][~places_in(plan.pages, known[part])[1]]
        removed += len(gone)
        for start in range(0, len(gone), _COMMIT):
            terms.remove(gone[start : start + _COMMIT].tolist())

    def is_changed(part: slice) -> NDArray[np.bool_]:
        places, is_known = places_in(known, plan.pages[part])
        return ~is_known | (fingerprints[places] != plan.fingerprints[part]) if len(known) else ~is_known

    return places_where(len(plan.pages), is_changed, zeros), removed


def _shown(document: SearchDocument) -> IndexedDocument:
    return IndexedDocument(
        page=document.page,
        url=document.url,
        host=document.host,
        title=document.title,
        description=document.description,
        language=document.language,
        fetched_at=document.fetched_at,
        dated=document.dated,
        copies=document.copies,
    )


def _searchable(document: SearchDocument, fingerprint: int) -> IndexedText:
    of_body = dict.fromkeys(document.body.split())
    once = (
        ("title", document.title),
        ("description", document.description),
        ("body", document.body),
        ("rest", _rest(document, of_body)),
    )
    texts = [(field, text, 1) for field, text in once if text]
    texts += [("headings", heading, 1) for heading in document.headings.splitlines()]
    texts += [("anchors_inside", text, count) for text, count in document.anchors_inside]
    texts += [("anchors_outside", text, count) for text, count in document.anchors_outside]
    return IndexedText(
        page=document.page,
        fingerprint=fingerprint,
        language=document.language,
        languages=document.languages or (document.language,),
        fetched_at=document.fetched_at,
        url=document.url,
        host=document.host,
        site=document.site,
        type=document.type,
        dated=document.dated,
        relevance=document.relevance,
        texts=texts,
        names=document.names,
        words=[("body", of_body)],
    )


def _rest(document: SearchDocument, of_body: Container[str]) -> str:
    """Return the distinct words of the visible text that are not in the main content."""
    return " ".join([word for word in dict.fromkeys(document.full_text.split()) if word not in of_body])
