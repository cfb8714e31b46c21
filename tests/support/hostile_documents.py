"""Documents that are broken, locked or made to harm their readers, each a few kilobytes of Python."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence

_CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
_PAGES = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
_PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"


def stream(content: bytes, more: bytes = b"") -> bytes:
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(content), more, content)


def text(words: str) -> bytes:
    """A content stream that shows them."""
    return b"BT /F 12 Tf 50 700 Td (%s) Tj ET" % words.encode("latin-1")


def pdf(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """A file of numbered objects, 1 being its catalogue, with a right table of where they are."""
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, content in objects.items():
        places[number] = out.tell()
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start, size = out.tell(), max(objects) + 1
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % size)
    for number in range(1, size):
        out.write(b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n")
    out.write(b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start))
    return out.getvalue()


def one_page(content: bytes | None = None, **changed: bytes) -> dict[int, bytes]:
    """The objects of a file with one page. changed: catalog, pages, page or font instead of the usual one."""
    usual = {"catalog": _CATALOG, "pages": _PAGES, "page": _PAGE, "font": _FONT, **changed}
    shown = stream(text("Fine words")) if content is None else content
    return {1: usual["catalog"], 2: usual["pages"], 3: usual["page"], 4: shown, 5: usual["font"]}


def good_pdf(words: str = "Fine words", title: str = "A title", link: str = "http://b.test/from-pdf") -> bytes:
    """A title, a language, a text and a link."""
    page = _PAGE.replace(b"/Contents", b"/Annots [7 0 R] /Contents")
    objects = one_page(stream(text(words)), page=page, catalog=_CATALOG.replace(b">>", b"/Lang (en-GB) >>"))
    objects[6] = b"<< /Title (%s) >>" % title.encode("latin-1")
    objects[7] = b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (%s) >> >>" % link.encode()
    return pdf(objects, b"/Info 6 0 R")


def _encrypted(dictionary: bytes) -> bytes:
    return pdf({**one_page(), 8: dictionary}, b"/Encrypt 8 0 R /ID [<00> <00>]")


def bomb(gigabytes: float, filters: int) -> bytes:
    """A content stream that unpacks to so much."""
    packer = zlib.compressobj(9)
    content = b"".join(packer.compress(bytes(1 << 20)) for _ in range(int(gigabytes * 1024))) + packer.flush()
    for _ in range(filters - 1):
        content = zlib.compress(content, 9)
    return pdf(one_page(stream(content, b"/Filter [%s] " % (b"/FlateDecode " * filters))))


def _deep_page_tree(depth: int) -> bytes:
    objects = one_page()
    for level in range(depth):
        kid = b"3 0 R" if level == depth - 1 else b"%d 0 R" % (level + 11)
        parent = b"2 0 R" if level == 0 else b"%d 0 R" % (level + 9)
        objects[level + 10] = b"<< /Type /Pages /Parent %s /Kids [%s] /Count 1 >>" % (parent, kid)
    objects[2] = b"<< /Type /Pages /Kids [10 0 R] /Count 1 >>"
    return pdf(objects)


def _many_pages(count: int) -> bytes:
    return pdf(one_page(pages=b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"3 0 R " * count, count)))


def _form_loop() -> bytes:
    page = _PAGE.replace(b"/Font <<", b"/XObject << /X 6 0 R >> /Font <<")
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> "
    return pdf({**one_page(stream(b"/X Do " * 50), page=page), 6: stream(b"/X Do " * 50, form)})


def _cmapbomb(ranges: int) -> bytes:
    lines = b"".join(b"<%04x> <ffff> <0041>\n" % (number % 65000) for number in range(ranges))
    head = b"/CIDInit /ProcSet findresource begin begincmap\n"
    cmap = b"%s%d beginbfrange\n%sendbfrange endcmap end" % (head, ranges, lines)
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R >>"
    return pdf({**one_page(font=font), 6: stream(zlib.compress(cmap), b"/Filter /FlateDecode ")})


def _object_stream_loop() -> bytes:
    content = b"9 0 " + b"<< /Type /Page >>"
    return pdf({**one_page(), 6: stream(content, b"/Type /ObjStm /N 1 /First 4 /Extends 6 0 R ")})


def _many_links(count: int) -> bytes:
    annotation = b"<< /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (http://a.test/) >> >> "
    page = _PAGE.replace(b"/Contents", b"/Annots [%s] /Contents" % (annotation * count))
    return pdf(one_page(page=page))


HOSTILE_PDFS: Mapping[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "html": lambda: b"<!doctype html><p>no PDF",
    "noise": lambda: b"%PDF-1.7\n" + random.Random(1).randbytes(200_000),
    "head-alone": lambda: b"%PDF-1.7\n",
    "truncated-in-a-stream": lambda: pdf(one_page(stream(text("words " * 2000))))[:3000],
    "without-objects": lambda: b"%PDF-1.7\nxref\n0 0\ntrailer\n<< /Root 1 0 R >>\nstartxref\n9\n%%EOF\n",
    "no-pages": lambda: pdf(one_page(pages=b"<< /Type /Pages /Kids [] /Count 0 >>")),
    "locked-rc4": lambda: _encrypted(
        b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (b"ab" * 32, b"cd" * 32)
    ),
    "locked-aes": lambda: _encrypted(
        b"<< /Filter /Standard /V 5 /R 6 /Length 256 /P -4 /O <%s> /U <%s> /OE <%s> /UE <%s> /Perms <%s>"
        b" /CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /StdCF /StrF /StdCF >>"
        % (b"ab" * 48, b"cd" * 48, b"ef" * 32, b"01" * 32, b"23" * 16)
    ),
    "locked-by-a-handler-nobody-knows": lambda: _encrypted(b"<< /Filter /Acme.Lock /V 9 >>"),
    "bomb": lambda: bomb(1.0, 1),
    "bomb-in-a-bomb": lambda: bomb(4.0, 2),
    "page-tree-loop": lambda: pdf(one_page(pages=b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>")),
    "deep-page-tree": lambda: _deep_page_tree(20_000),
    "count-lies": lambda: pdf(one_page(pages=_PAGES.replace(b"/Count 1", b"/Count 2147483647"))),
    "many-pages": lambda: _many_pages(300_000),
    "huge-page": lambda: pdf(one_page(page=_PAGE.replace(b"600 800", b"1e30 99999999999"))),
    "table-loop": lambda: pdf(one_page(), b"/Prev 9").replace(b"/Prev 9", b"/Prev 0"),
    "form-loop": _form_loop,
    "object-stream-loop": _object_stream_loop,
    "cmap-bomb": lambda: _cmapbomb(100_000),
    "deep-arrays": lambda: pdf({**one_page(), 6: b"[" * 500_000 + b"]" * 500_000}, b"/Info 6 0 R"),
    "deep-graphics-states": lambda: pdf(one_page(stream(b"q " * 2_000_000 + text("deep")))),
    "very-many-words": lambda: pdf(one_page(stream(text("words " * 10) * 100_000))),
    "many-links": lambda: _many_links(100_000),
}
"""By what is wrong with them."""


def archive(members: Sequence[tuple[str, bytes]]) -> bytes:
    """A ZIP file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_LAUGHS = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))


def docx(paragraphs: str, prolog: str = "") -> bytes:
    """paragraphs: XML."""
    xml = f"<?xml version='1.0'?>{prolog}<w:document {_W}><w:body>{paragraphs}</w:body></w:document>"
    return archive([("word/document.xml", xml.encode())])


HOSTILE_OFFICE: Mapping[str, Callable[[], bytes]] = {
    "no-archive": lambda: b"PK\x03\x04 and no more",
    "nothing-in-it": lambda: archive([("readme.txt", b"hello")]),
    "broken-xml": lambda: docx("<w:p><w:r>"),
    "laughs": lambda: docx("<w:p><w:r><w:t>&a11;</w:t></w:r></w:p>", f"<!DOCTYPE x [<!ENTITY a0 'ha'>{_LAUGHS}]>"),
    "bomb": lambda: docx("<w:p><w:r><w:t>" + "a" * 20_000_000 + "</w:t></w:r></w:p>"),
}
