"""Reads word processor and presentation files: OpenDocument (ISO/IEC 26300), Office Open XML (ISO/IEC 29500). Pure.

Both formats are ZIP files of XML. Only the content is read: paragraphs, headings, links, title and language. The
standard library's zipfile and expat read them as streams; the unpacked size is bounded here, and entities are bounded
by expat. python-docx (with lxml) and odfpy would read whole trees without bounds.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Final
from xml.parsers import expat

from hinterland.crawler.parsing.documents.rendition import Rendition, UnreadableDocument, first_line
from hinterland.storage.values.zip_errors import ZIP_ERRORS

_TEXT: Final = "urn:oasis:names:tc:opendocument:xmlns:text:1.0 "
_OFFICE: Final = "urn:oasis:names:tc:opendocument:xmlns:office:1.0 "
_META: Final = "urn:oasis:names:tc:opendocument:xmlns:meta:1.0 "
_FO: Final = "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0 "
_XLINK: Final = "http://www.w3.org/1999/xlink "
_DC: Final = "http://purl.org/dc/elements/1.1/ "
_W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "
_A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main "
_RELATIONSHIP: Final = "http://schemas.openxmlformats.org/package/2006/relationships Relationship"
_TABLE: Final = "urn:oasis:names:tc:opendocument:xmlns:table:1.0 "
_MC: Final = "http://schemas.openxmlformats.org/markup-compatibility/2006 "
_SKIPPED: Final = frozenset(
    {
        *(f"{_TEXT}tracked-changes", f"{_TABLE}tracked-changes", f"{_OFFICE}change-info"),
        *(f"{_OFFICE}annotation", f"{_W}comment"),
        *(f"{_W}del", f"{_W}moveFrom", f"{_MC}Fallback"),
        *(f"{_TEXT}note-citation", f"{_TEXT}table-of-content-source"),
    }
)
"""Elements that are not read: deleted text, comments with the names of their authors, and duplicates."""
_HIDDEN: Final = ((f"{_TEXT}display", "none"), (f"{_TEXT}is-hidden", "true"))
"""Attributes of elements that are not shown."""
_NOTES: Final = (f"{_TEXT}note", f"{_W}footnote", f"{_W}endnote")
_FIELD: Final = f"{_A}fld"
_STEP: Final = 1 << 16
_MOST_RATIO: Final = 200
"""The largest ratio of unpacked to packed size. Real files unpack to about twenty times their size."""
_MOST_BLOCKS: Final = 200_000


def read_opendocument(body: bytes, max_bytes: int) -> Rendition:
    """Return the content of an OpenDocument file. Raises UnreadableDocument."""
    rendition = Rendition()
    archive = _Archive(body, max_bytes)
    archive.parse("content.xml", _Paragraphs(rendition, {f"{_TEXT}p": "p"}, {f"{_TEXT}h": f"{_TEXT}outline-level"}))
    _add_notes(rendition)
    if "meta.xml" in archive.names:
        archive.parse("meta.xml", _Properties(rendition))
    return _finished(rendition)


def read_office_open_xml(body: bytes, max_bytes: int) -> Rendition:
    """Return the content of a text document or a presentation; each slide is followed by its speaker's notes.

    Raises UnreadableDocument.
    """
    rendition = Rendition()
    archive = _Archive(body, max_bytes)
    slides = [name for name in archive.names if name.startswith("ppt/slides/slide") and name.endswith(".xml")]
    is_text = "word/document.xml" in archive.names
    parts = [part for part in _TEXT_PARTS if part in archive.names] if is_text else sorted(slides, key=_number)
    if not parts:
        raise UnreadableDocument("it is a ZIP file without the text of a document")
    for part in parts:
        _read_part(archive, part, rendition)
    _add_notes(rendition)
    if "docProps/core.xml" in archive.names:
        archive.parse("docProps/core.xml", _Properties(rendition))
    return _finished(rendition)


_TEXT_PARTS: Final = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")


def _read_part(archive: _Archive, part: str, rendition: Rendition) -> None:
    """Read a part, its links and, if it is a slide, its notes."""
    archive.parse(part, _Paragraphs(rendition, {f"{_W}p": "p", f"{_A}p": "p"}, {}))
    folder, _, name = part.rpartition("/")
    if (links := f"{folder}/_rels/{name}.rels") not in archive.names:
        return
    relationships = _Relationships(rendition)
    archive.parse(links, relationships)
    if folder == "ppt/slides":
        for notes in relationships.notes:
            if notes in archive.names:
                _read_part(archive, notes, rendition)


def _add_notes(rendition: Rendition) -> None:
    """Append the notes at the end of the text; in their places, they would interrupt sentences."""
    rendition.blocks += rendition.notes
    rendition.notes.clear()


def _number(name: str) -> int:
    return int("".join(filter(str.isdigit, name.rpartition("/")[2]))[:9] or 0)


def _finished(rendition: Rendition) -> Rendition:
    rendition.title = rendition.title.strip() or first_line(text for _, text in rendition.blocks)
    return rendition


class _Handler:
    """Receives the events of an XML file. Names include their namespaces."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None: ...

    def end(self, name: str) -> None: ...

    def data(self, text: str) -> None: ...


class _Archive:
    def __init__(self, body: bytes, max_bytes: int) -> None:
        try:
            self._file = zipfile.ZipFile(io.BytesIO(body))
        except (*ZIP_ERRORS, OSError, ValueError) as error:
            raise UnreadableDocument("it is not a ZIP file, or it is damaged") from error
        self.names = frozenset(self._file.namelist())
        self._room = min(max_bytes, _MOST_RATIO * len(body))

    def parse(self, name: str, handler: _Handler) -> None:
        """Parse one file of the archive. Raises UnreadableDocument."""
        if name not in self.names:
            raise UnreadableDocument(f"it has no {name}")
        parser = expat.ParserCreate("UTF-8", " ")
        parser.buffer_text = True
        parser.StartElementHandler = handler.start
        parser.EndElementHandler = handler.end
        parser.CharacterDataHandler = handler.data
        parser.EntityDeclHandler = _refuse
        try:
            with self._file.open(name) as file:
                while data := file.read(_STEP):
                    self._room -= len(data)
                    if self._room < 0:
                        raise UnreadableDocument(f"{name} unpacks to a suspicious size")
                    parser.Parse(data, False)
            parser.Parse(b"", True)
        except NotImplementedError as error:  # zipfile does not know the compression
            raise UnreadableDocument(f"{name} uses an unsupported compression: {error}") from error
        except RuntimeError as error:  # raised by zipfile for a password
            raise UnreadableDocument("it is protected by a password") from error
        except (expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            raise UnreadableDocument(f"{name} is broken: {error}") from error


def _refuse(*_: object) -> None:
    raise UnreadableDocument("it declares entities, which no word processor writes")


class _Paragraphs(_Handler):
    def __init__(self, rendition: Rendition, paragraphs: Mapping[str, str], headings: Mapping[str, str]) -> None:
        self._rendition = rendition
        self._paragraphs = paragraphs
        self._headings = headings
        self._element: list[str] = []
        self._text: list[str] = []
        self._is_text = False
        self._skipped = 0
        """The nesting depth inside a skipped element, counting the element itself; 0 outside."""
        self._is_in_run = self._is_hidden_run = False
        self._around_notes: list[tuple[list[str], list[str]]] = []
        """For each open note, the open elements and the text before it."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipped or name in _SKIPPED or _is_hidden(name, attributes):
            self._skipped += 1
            return
        if name in _NOTES:
            self._around_notes.append((self._element, self._text))
            self._element, self._text = [], []
        elif name == f"{_W}r":
            self._is_in_run, self._is_hidden_run = True, False
        elif name == f"{_W}vanish" and self._is_in_run:
            self._is_hidden_run = attributes.get(f"{_W}val", "true") not in ("0", "false", "off")
        elif name in self._paragraphs:
            self._begin(self._paragraphs[name])
        elif name in self._headings:
            level = attributes.get(self._headings[name], "1")
            self._begin(f"h{level}" if level in "123456" and len(level) == 1 else "h6")
        elif name in (f"{_W}pStyle", f"{_W}outlineLvl") and self._element:
            style = attributes.get(f"{_W}val", "")
            level = style.removeprefix("Heading") if "Heading" in style else ""
            if style == "Title" or (level in "123456" and len(level) == 1):
                self._element[-1] = "h1" if style == "Title" else f"h{level}"
        elif name in (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break", f"{_W}tab", f"{_W}br", f"{_A}br"):
            self._text.append(" ")
        elif name == f"{_TEXT}a" and (href := attributes.get(f"{_XLINK}href", "")).startswith("http"):
            self._rendition.hrefs.append(href)
        elif name == f"{_W}lang" and not self._rendition.language:
            self._rendition.language = attributes.get(f"{_W}val", "")[:100]
        self._is_text = name in (f"{_W}t", f"{_A}t") or not name.startswith((_W, _A))

    def end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        if name in self._paragraphs or name in self._headings:
            self._flush()
            if self._element:
                self._element.pop()
        elif name == f"{_W}r":
            self._is_in_run = self._is_hidden_run = False
        elif name in _NOTES and self._around_notes:
            self._element, self._text = self._around_notes.pop()
        if name.startswith((_W, _A)):
            self._is_text = False

    def data(self, text: str) -> None:
        if self._element and self._is_text and not self._skipped and not self._is_hidden_run:
            self._text.append(text)

    def _begin(self, element: str) -> None:
        self._flush()
        self._element.append(element)

    def _flush(self) -> None:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        if text and self._element:
            if len(self._rendition.blocks) + len(self._rendition.notes) >= _MOST_BLOCKS:
                raise UnreadableDocument(f"it has more than {_MOST_BLOCKS:,} paragraphs")
            into = self._rendition.notes if self._around_notes else self._rendition.blocks
            into.append((self._element[-1], text))


def _is_hidden(name: str, attributes: Mapping[str, str]) -> bool:
    if name == _FIELD:
        return attributes.get("type") == "slidenum"
    return name.startswith(_TEXT) and any(attributes.get(key) == value for key, value in _HIDDEN)


class _Properties(_Handler):
    def __init__(self, rendition: Rendition) -> None:
        self._rendition = rendition
        self._take: Callable[[str], None] | None = None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._take = {f"{_DC}title": self._add_title, f"{_DC}language": self._add_language}.get(name)

    def end(self, name: str) -> None:
        self._take = None

    def data(self, text: str) -> None:
        if self._take is not None:
            self._take(text)

    def _add_title(self, text: str) -> None:
        self._rendition.title = (self._rendition.title + text)[:1000]

    def _add_language(self, text: str) -> None:
        self._rendition.language = text[:100]


class _Relationships(_Handler):
    def __init__(self, rendition: Rendition) -> None:
        self._rendition = rendition
        self.notes: list[str] = []
        """Names of the parts that hold the notes of slides."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        target = attributes.get("Target", "")
        if name == _RELATIONSHIP and attributes.get("Type", "").endswith("/notesSlide"):
            self.notes.append("ppt/notesSlides/" + target.rpartition("/")[2])
        elif name == _RELATIONSHIP and attributes.get("TargetMode") == "External" and target.startswith("http"):
            self._rendition.hrefs.append(target[:4000])
