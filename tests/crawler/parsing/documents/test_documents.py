"""Documents that are not HTML: what they say, and what happens to broken, locked or hostile ones."""

from __future__ import annotations

import asyncio
import json

import pytest

from hinterland.crawler.fetching.outcomes import OutcomeKind
from hinterland.crawler.parsing.documents import pdf as pdf_module
from hinterland.crawler.parsing.documents.pdf import read_pdf
from hinterland.crawler.parsing.documents.reading import accepted, kind_of
from hinterland.crawler.parsing.documents.rendition import Rendition, first_line, urls_in
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.parsing.pool.page_time import half_time
from hinterland.crawler.parsing.pool.parsers import ParserPool
from hinterland.storage.values.compression import unpacked
from tests.crawler.parsing.test_parse_worker import config
from tests.support.hostile_documents import (
    HOSTILE_OFFICE,
    HOSTILE_PDFS,
    archive,
    bomb,
    docx,
    good_pdf,
    one_page,
    pdf,
)

ALL = ["pdf", "text", "markdown", "office"]
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODT = "application/vnd.oasis.opendocument.text"


def digest(body: bytes, content_type: str, url: str = "http://a.test/d", **changes: object) -> PageDigest:
    settings = config(**{"max_body_bytes": 10_000_000, "documents": ALL, **changes})
    return PageDigester(settings).digest(RawPage(url, body, "", content_type))


def said(body: bytes, content_type: str, url: str = "http://a.test/d") -> tuple[str, str, str, list[str]]:
    """Title, text with white space collapsed, language, links."""
    found = digest(body, content_type, url)
    assert found.page is not None, found
    page = found.page
    return page.title, " ".join(unpacked(found.text).split()), page.language, [*page.link_urls]


# --- PDF ------------------------------------------------------------------------------------------


def test_a_pdf_has_a_title_a_text_a_language_and_links() -> None:
    assert said(good_pdf("See https://c.test/x. Bye"), "application/pdf") == (
        "A title",
        "See https://c.test/x. Bye",
        "en-GB",
        ["https://c.test/x", "http://b.test/from-pdf"],
    )


@pytest.mark.parametrize("title", ["", "Untitled 1", "report.docx", "  "])
def test_a_meaningless_title_is_replaced_by_the_first_line(title: str) -> None:
    assert said(good_pdf("Fine words", title), "application/pdf")[0] == "Fine words"


def test_a_pdf_of_very_many_pages_or_one_that_takes_long_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_module, "MOST_PAGES", 2)
    three = pdf(one_page(pages=b"<< /Type /Pages /Kids [3 0 R 3 0 R 3 0 R] /Count 3 >>"))
    found = digest(three, "application/pdf")
    assert found.page is not None
    assert (found.page.cut, found.page.charset) == ({"pages": 1}, "")
    rendition, left_out = read_pdf(three, 4)
    assert (len(rendition.blocks), left_out) == (1, 2)  # no more text than that
    late = iter([False, True])
    rendition, left_out = read_pdf(three, 10_000, lambda: next(late))
    assert (len(rendition.blocks), left_out) == (2, 1)


def test_half_of_the_time_of_a_page_is_over_by_cpu_time_or_three_times_as_much_of_the_clock() -> None:
    used, clock = 7.0, 100.0
    is_late = half_time(10.0, used=lambda: used, clock=lambda: clock)
    used, clock = 12.0, 115.0
    assert not is_late()
    used = 12.1
    assert is_late()
    used, clock = 7.0, 115.1
    assert is_late()


def test_a_page_of_a_pdf_is_read_however_late_it_is() -> None:
    assert digest(good_pdf("Fine words", "A title"), "application/pdf", timeout_seconds=0.0).page is not None


QUICK = {name for name in HOSTILE_PDFS if not name.startswith(("bomb", "form", "cmap", "very", "deep-gr", "many"))}


def test_broken_and_locked_pdfs_have_an_outcome_of_their_own() -> None:
    outcomes = {name: digest(HOSTILE_PDFS[name](), "application/pdf") for name in QUICK}
    unreadable = {name for name, found in outcomes.items() if found.failure == OutcomeKind.UNREADABLE}
    assert unreadable == QUICK - {"count-lies", "huge-page", "table-loop", "object-stream-loop", "deep-arrays"}
    assert all(found.page is not None for name, found in outcomes.items() if name not in unreadable)
    assert {name for name in QUICK if "password" in outcomes[name].detail} == {"locked-rc4", "locked-aes"}


def test_a_pdf_without_pages_is_not_taken_for_locked_after_one_that_was() -> None:
    details = [digest(HOSTILE_PDFS[name](), "application/pdf").detail for name in ("locked-rc4", "no-pages")]
    assert details == ["it is protected by a password", "it has no pages"]


@pytest.mark.slow
def test_a_bomb_costs_its_process_and_nothing_else() -> None:
    async def parse() -> list[PageDigest]:
        settings = config(documents=ALL, max_memory_bytes=256 << 20, max_body_bytes=10_000_000)
        bodies = [good_pdf(), bomb(0.35, 1), good_pdf()]
        async with ParserPool(settings, processes=1, timeout_seconds=10) as pool:
            raws = [RawPage("http://a.test/d", body, "", "application/pdf") for body in bodies]
            return await asyncio.gather(*map(pool.parse, raws))

    before, between, after = asyncio.run(parse())
    assert before.page is not None
    assert after.page is not None
    assert between.failure in (OutcomeKind.PARSER_CRASH, OutcomeKind.PARSE_TIMEOUT)


# --- text and Markdown ----------------------------------------------------------------------------


def test_plain_text_is_read_in_its_charset_with_the_urls_in_it() -> None:
    body = "\n\n  Grüße an alle\nsee (http://b.test/x_(y)), <b> & more".encode("latin-1")
    title, text, language, links = said(body, "text/plain; charset=iso-8859-1")
    assert (title, language, links) == ("Grüße an alle", "", ["http://b.test/x_(y)"])
    assert text.startswith("Grüße an alle see (http://b.test/x_(y))")
    assert text.endswith("<b> & more")


def test_bytes_labelled_as_text_that_are_not_text_are_unreadable() -> None:
    assert digest(b"\x7fELF\0\0\0", "text/plain").failure == OutcomeKind.UNREADABLE


@pytest.mark.parametrize(
    "content_type, url", [("text/markdown", "http://a.test/d"), ("text/plain", "http://a.test/R.MD?x")]
)
def test_markdown_has_headings_and_links(content_type: str, url: str) -> None:
    body = b"---\nlayout: x\n---\nIntro\n\n# Head *one*\n\nsee [b](/b) and <http://c.test/>\n\n"
    body += b"| a | b |\n|---|---|\n| 1 | 2 |\n"
    found = digest(body, content_type, url)
    assert found.page is not None
    assert found.page.title == "Head *one*"
    assert [*found.page.link_urls] == ["http://a.test/b", "http://c.test/"]
    assert json.loads(found.headings) == [[1, "Head one"]]
    assert unpacked(found.text).split()[-2:] == ["1", "2"]


FRONT_MATTER = {
    "yaml": "---\nlayout: no\n---\n",
    "Windows lines": "---\r\nlayout: no\r\ntitle: 'no: 1'\r\n---\r\n",
    "spaces after the dashes": "--- \nlayout: no\n---\t\n",
    "dots at its end": "---\nlayout: no\n...\n",
    "a list, a remark and what is indented": "---\n# no\ntags:\n  - no\n- no\n\nno:\n    no such line\n'q': no\n---\n",
    "a text of several lines": "---\nabout: >\n  no --- no\n  no\n---\n",
    "toml": '+++\ntitle = "no"\n[no]\n"no" = 1\n+++\n',
    "toml of Windows": '+++ \r\ntitle = "no"\r\n+++\r\n',
    "json": '{\n  "title": "no",\n  "no": {}\n}\n',
    "a byte order mark": "\ufeff---\nlayout: no\n---\n",
    "nothing after it": "---\nlayout: no\n---",
}


@pytest.mark.parametrize("form", FRONT_MATTER)
def test_front_matter_is_no_text(form: str) -> None:
    assert "no" not in said(FRONT_MATTER[form].encode(), "text/markdown")[1].split()
    if form != "nothing after it":
        body = (FRONT_MATTER[form] + "\nText [b](/b)\n\n---\n\nmore").encode()
        assert said(body, "text/markdown")[1:] == ("Text b more", "", ["http://a.test/b"])


@pytest.mark.parametrize(
    "body",
    [
        "---\n\none [b](/b)\n\n---\n\ntwo",
        "---\none [b](/b)\n\n---\n\ntwo",
        "---\n\nlayout: one [b](/b)\n\n---\n\ntwo",
        "---\r\n\r\none [b](/b)\r\n\r\n---\r\n\r\ntwo",
        "---\n- one [b](/b)\n- two\n\n---\n\nthree",
        "---\n# one\n\n[b](/b) two\n\n---\n\nthree",
        "----\none [b](/b)\n\n----\n\ntwo",
        "+++\none [b](/b)\n\n+++\n\ntwo",
        "---\nlayout: one [b](/b)\n\ntwo",
        "***\none [b](/b)\n\n***\n\ntwo",
        "{\none [b](/b)\n}\n\ntwo",
    ],
)
def test_markdown_that_begins_with_a_rule_keeps_its_text(body: str) -> None:
    _, text, _, links = said(body.encode(), "text/markdown")
    assert {"one", "two"} <= set(text.split())
    assert links == ["http://a.test/b"]


@pytest.mark.parametrize(
    "around",
    [
        *("{}\uff0c\u8c22\u8c22", "{}\u3002", "\uff08{}\uff09", "\u300c{}\u300d\u3068", "{}\u3001", "{}\uff1b"),
        *("{}\uff01", "{}\uff1f", "**{}**", "*{}*", "__{}__", "~~{}~~", "\u201c{}\u201d", "\u2018{}\u2019"),
        *("\u00ab{}\u00bb", "<{}>", "[{}]", "`{}`", "({}).", "{}\u2026", "{}...", "{}\u060c", "{}\u061f", "{}\u0964"),
        *("{}\u200b", "{}\ufeff", "{}\u3000x", "**{}**\u3002", "{}\uff61"),
    ],
)
def test_a_url_in_a_text_ends_where_its_sentence_does_in_any_script(around: str) -> None:
    for url in ("http://b.test/c", "http://b.test/d_(e)", "https://b.test/?f=g*h_i", "http://b.test/\u4e2d\u6587"):
        text = f"x {around.format(url)}"
        assert [text[start:end] for start, end in urls_in(text)] == [url]


def test_an_underscore_at_the_end_of_a_url_is_its_own_unless_one_stands_before_it() -> None:
    text = "http://b.test/c_ _http://b.test/d_ HTTPS://b.test/e"
    found = [text[start:end] for start, end in urls_in(text)]
    assert found == ["http://b.test/c_", "http://b.test/d", "HTTPS://b.test/e"]


# --- office ---------------------------------------------------------------------------------------


def test_a_text_in_office_open_xml_is_read() -> None:
    paragraphs = (
        '<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>A head</w:t></w:r></w:p>'
        '<w:p><w:r><w:rPr><w:lang w:val="de-DE"/></w:rPr><w:t>Some</w:t><w:tab/><w:t>text</w:t></w:r></w:p>'
    )
    title, text, language, links = said(docx(paragraphs), DOCX)
    assert (title, text, language, links) == ("A head", "A head Some text", "de-DE", [])
    found = digest(docx(paragraphs), DOCX)
    assert json.loads(found.headings) == [[2, "A head"]]


def test_slides_are_read_in_their_order() -> None:
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    slide = '<s xmlns:a="{}"><a:p><a:r><a:t>slide {}</a:t></a:r></a:p></s>'
    links = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" TargetMode="External" Target="http://b.test/"/></Relationships>'
    )
    slides = [(f"ppt/slides/slide{number}.xml", slide.format(drawing, number).encode()) for number in (10, 2, 1)]
    body = archive([*slides, ("ppt/slides/_rels/slide2.xml.rels", links.encode())])
    assert said(body, PPTX)[1:] == ("slide 1 slide 2 slide 10", "", ["http://b.test/"])


def test_a_text_in_opendocument_is_read() -> None:
    spaces = (
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/"'
    )
    content = (
        f'<d {spaces}><text:h text:outline-level="1">Head</text:h><text:p>one<text:s/>two'
        '<text:a xlink:href="http://b.test/">link</text:a></text:p></d>'
    )
    meta = f"<d {spaces}><dc:title>The title</dc:title><dc:language>fr</dc:language></d>"
    body = archive([("content.xml", content.encode()), ("meta.xml", meta.encode())])
    assert said(body, ODT) == ("The title", "Head one twolink", "fr", ["http://b.test/"])


ODF = (
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'
    ' xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
)
WHO = "<dc:creator>no</dc:creator><dc:date>2024-05-03</dc:date>"


DELETED = f"""<text:tracked-changes><text:changed-region text:id='c'><text:deletion>
<office:change-info>{WHO}<text:p>no</text:p></office:change-info><text:p>no</text:p><text:h>no</text:h></text:deletion>
</text:changed-region></text:tracked-changes><text:p>one<text:change text:change-id='c'/> two</text:p>"""
INSERTED = f"""<text:tracked-changes><text:changed-region><text:insertion><office:change-info>{WHO}</office:change-info>
</text:insertion></text:changed-region></text:tracked-changes>
<text:p><text:change-start text:change-id='c'/>one two<text:change-end text:change-id='c'/></text:p>"""
REMARKED = f"""<text:p>one <office:annotation>{WHO}<meta:creator-initials>no</meta:creator-initials>
<text:p>no <text:a xlink:href='http://no.test/'>no</text:a></text:p><text:list><text:list-item><text:p>no</text:p>
</text:list-item></text:list></office:annotation>two<office:annotation-end/></text:p>"""
OF_A_TABLE = f"""<table:tracked-changes><table:deletion>{WHO}<text:p>no</text:p></table:deletion>
</table:tracked-changes><text:p>one two</text:p>"""
HIDDEN = "<text:section text:display='none'><text:p>no</text:p></text:section><text:p>one two</text:p>"
HIDDEN_WORDS = "<text:p>one <text:hidden-text text:is-hidden='true'>no</text:hidden-text>two</text:p>"


@pytest.mark.parametrize("markup", [DELETED, INSERTED, REMARKED, OF_A_TABLE, HIDDEN, HIDDEN_WORDS])
def test_what_was_removed_from_an_opendocument_and_what_was_remarked_on_it_is_not_read(markup: str) -> None:
    body = archive([("content.xml", f"<d {ODF}>{markup}</d>".encode())])
    assert said(body, ODT)[1:] == ("one two", "", [])


def test_a_footnote_of_an_opendocument_stands_after_the_text_and_cuts_no_word() -> None:
    note = "<text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body>"
    content = f"<text:p>wo<text:note>{note}</text:note>rd</text:p><text:p>two</text:p>"
    body = archive([("content.xml", f"<d {ODF}>{content}</d>".encode())])
    assert said(body, ODT)[1] == "word two A note."


def run(words: str, properties: str = "") -> str:
    return f"<w:r>{f'<w:rPr>{properties}</w:rPr>' if properties else ''}<w:t xml:space='preserve'>{words}</w:t></w:r>"


NOT_HIDDEN = '<w:vanish w:val="0"/>'
TWICE = """<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">
<mc:Choice><w:t>one two</w:t></mc:Choice><mc:Fallback><w:t>no</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>"""


@pytest.mark.parametrize(
    "markup",
    [
        f"<w:p>{run('one ')}<w:del w:author='no'><w:r><w:delText>no</w:delText></w:r></w:del>{run('two')}</w:p>",
        f"<w:p>{run('one ')}<w:del>{run('no')}</w:del>{run('two')}</w:p>",
        f"<w:p><w:ins w:author='no'>{run('one ')}</w:ins>{run('two')}</w:p>",
        f"<w:p>{run('one ')}<w:moveFrom w:author='no'>{run('no')}</w:moveFrom><w:moveTo>{run('two')}</w:moveTo></w:p>",
        f"<w:p>{run('one ')}{run('no', '<w:vanish/>')}{run('two', NOT_HIDDEN)}</w:p>",
        f"<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>{run('one two')}</w:p>",
        TWICE,
        f"<w:p>{run('one two')}<w:r><w:instrText>no</w:instrText></w:r><w:r><w:commentReference/></w:r></w:p>",
    ],
)
def test_what_was_removed_from_a_text_in_office_open_xml_is_not_read(markup: str) -> None:
    assert said(docx(markup), DOCX)[1:] == ("one two", "", [])


def test_footnotes_and_endnotes_are_read_after_the_text_and_comments_are_not() -> None:
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    links = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r"'
        ' TargetMode="External" Target="http://b.test/note"/></Relationships>'
    )
    reference = "<w:r><w:footnoteReference w:id='1'/></w:r>"
    separator = "<w:footnote><w:p><w:r><w:separator/></w:r></w:p></w:footnote>"
    below = f"<w:footnote><w:p>{run('Below.')}<w:del>{run('no')}</w:del></w:p></w:footnote>"
    members = {
        "word/document.xml": f"<w:document {w}><w:p>{run('Text')}{reference}</w:p></w:document>",
        "word/endnotes.xml": f"<w:endnotes {w}><w:endnote><w:p>{run('At the end.')}</w:p></w:endnote></w:endnotes>",
        "word/footnotes.xml": f"<w:footnotes {w}>{separator}{below}</w:footnotes>",
        "word/_rels/footnotes.xml.rels": links,
        "word/comments.xml": f"<w:comments {w}><w:comment w:author='no'>{run('no')}</w:comment></w:comments>",
    }
    body = archive([(name, xml.encode()) for name, xml in members.items()])
    assert said(body, DOCX) == ("Text", "Text Below. At the end.", "", ["http://b.test/note"])


def test_the_notes_of_a_slide_are_read_after_it() -> None:
    a = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    slide = "<s {}><a:p><a:r><a:t>{}</a:t></a:r><a:fld type='slidenum'><a:t>77</a:t></a:fld></a:p></s>"
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/notesSlide"
    links = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r"'
        f' Type="{kind}" Target="../notesSlides/notesSlide{{}}.xml"/></Relationships>'
    )
    members = [(f"ppt/slides/slide{n}.xml", slide.format(a, f"slide {n}")) for n in (1, 2, 3)]
    members += [(f"ppt/notesSlides/notesSlide{n}.xml", slide.format(a, f"notes {n}")) for n in (1, 2)]
    members += [(f"ppt/slides/_rels/slide{n}.xml.rels", links.format(3 - n if n < 3 else 9)) for n in (1, 2, 3)]
    body = archive([(name, xml.encode()) for name, xml in members])
    assert said(body, PPTX)[1] == "slide 1 notes 2 slide 2 notes 1 slide 3"


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE_OFFICE)
def test_hostile_office_documents_are_unreadable(name: str) -> None:
    found = digest(HOSTILE_OFFICE[name](), DOCX)
    assert (found.page, found.failure) == (None, OutcomeKind.UNREADABLE)


def test_a_compression_that_is_not_known_is_not_taken_for_a_password() -> None:
    body = bytearray(docx("<w:p/>"))
    assert body[:4] == b"PK\x03\x04"
    directory = body.index(b"PK\x01\x02")
    while directory >= 0:
        body[directory + 10 : directory + 12] = (99).to_bytes(2, "little")
        directory = body.find(b"PK\x01\x02", directory + 4)
    found = digest(bytes(body), DOCX)
    assert found.failure == OutcomeKind.UNREADABLE
    assert "unsupported compression" in found.detail
    assert "password" not in found.detail


# --- which ----------------------------------------------------------------------------------------


def test_only_the_kinds_that_are_asked_for_are_downloaded_and_read() -> None:
    assert accepted(["text/html"], []) == {"text/html"}
    assert accepted(["text/html"], ["pdf"]) == {"text/html", "application/pdf", "application/x-pdf"}
    assert kind_of("application/pdf; x=y", "http://a.test/") == "pdf"
    assert kind_of(None, "http://a.test/a.md") == ""
    as_html = digest(b"<title>T</title>", "text/plain", documents=["pdf"])
    assert as_html.page is not None
    assert as_html.page.title == "T"


def test_urls_in_texts_end_where_the_sentence_does() -> None:
    text = "a http://b.test/c). d https://e.test/f?g=h, i"
    assert [text[start:end] for start, end in urls_in(text)] == ["http://b.test/c", "https://e.test/f?g=h"]
    assert first_line(["...\n", " * \n  Title \nmore"]) == "Title"


def test_a_rendition_is_html_whatever_is_in_it() -> None:
    html = Rendition("<&\x00>", 'x"', [("p", "a\x0b<script>\ud800")], ['"><']).html()
    assert b"<script>" not in html
    assert html.decode().count('"') == 4
