from __future__ import annotations

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st
from webencodings.labels import LABELS

from hinterland.crawler.fetching.content_type import ContentType, essence_of, parse_content_type
from hinterland.crawler.parsing.charset.encoding import (
    EncodingSource,
    SniffedEncoding,
    decode,
    encoding_by_content,
    sniff_encoding,
)
from hinterland.crawler.parsing.charset.encoding_prescan import (
    declared_encoding,
    encoding_of_label,
    label_in_meta_content,
)
from hinterland.crawler.parsing.html.legacy_query import with_encoded_query

pytestmark = pytest.mark.slow

NAMES = sorted(set(LABELS.values()))
RUSSIAN = "Добро пожаловать на страницу нашего проекта. Здесь вы найдете новости и документацию. " * 3
JAPANESE = "このページへようこそ。ここではニュースと文書を見つけることができます。" * 3
FRENCH = "Vous trouverez ici des actualités, de la documentation et des réponses déjà posées. " * 3


@pytest.mark.parametrize(
    "body,content_type,name,source",
    [
        (b"\xef\xbb\xbf<meta charset=koi8-r>", "text/html; charset=koi8-u", "utf-8", EncodingSource.BOM),
        (b"\xff\xfea\0", "text/html; charset=koi8-u", "utf-16le", EncodingSource.BOM),
        (b"\xfe\xff\0a", None, "utf-16be", EncodingSource.BOM),
        (b"<meta charset=koi8-r>", "text/html; charset=KOI8-U", "koi8-u", EncodingSource.HTTP),
        (b"<meta charset=koi8-r>", "text/html; charset=no-such", "koi8-r", EncodingSource.META),
        (b"<p>caf\xc3\xa9", None, "utf-8", EncodingSource.CONTENT),
        (b"<p>caf\xe9", None, "windows-1252", EncodingSource.DEFAULT),
        (b"<p>plain", None, "windows-1252", EncodingSource.DEFAULT),
        (b"", None, "windows-1252", EncodingSource.DEFAULT),
    ],
)
def test_the_mark_beats_http_which_beats_meta_which_beats_a_guess(
    body: bytes, content_type: str | None, name: str, source: EncodingSource
) -> None:
    assert sniff_encoding(body, content_type) == SniffedEncoding(name, source)


@pytest.mark.parametrize(
    "head,name",
    [
        (b"<meta charset='utf-8'>", "utf-8"),
        (b"<META http-equiv=Content-Type content='text/html; charset=big5'>", "big5"),
        (b"<meta content='text/html; charset=big5' http-equiv=content-type>", "big5"),
        (b"<meta content='text/html; charset=big5'>", None),
        (b"<!-- <meta charset=big5> --><meta charset=euc-jp>", "euc-jp"),
        (b"<!--><meta charset=big5>", "big5"),
        (b"<p title='<meta charset=big5>'><meta charset=euc-jp>", "euc-jp"),
        (b"<p title='<meta charset=big5>", None),
        (b"</p title='>'><?php <meta charset=big5> ?><meta charset=euc-jp>", "euc-jp"),
        (b"<meta charset=no-such><meta charset=big5>", "big5"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<meta charset=x-user-defined>", "windows-1252"),
        (b"<meta charset=big5", None),
        (b"<metacharset=big5><meta/charset=euc-jp>", "euc-jp"),
        (b"<meta charset=big5 charset=euc-jp>", "big5"),
        (b"<?xml version='1.0' encoding='big5'?>", "big5"),
        (b"<?xml version='1.0' encoding='big5'?><meta charset=euc-jp>", "euc-jp"),
        (b"<?xml version='1.0' encoding?>", None),
        (b" <?xml version='1.0' encoding='big5'?>", None),
        (b"<\0?\0x\0", "utf-16le"),
        (b"\0<\0?\0x", "utf-16be"),
    ],
)
def test_a_declaration_is_found_as_the_standard_has_it(head: bytes, name: str | None) -> None:
    assert declared_encoding(head) == name


def test_only_the_first_1024_bytes_declare_but_a_parser_may_meet_more() -> None:
    late = b"<!--" + b"x" * 1017 + b"--><meta charset=big5>"
    assert declared_encoding(late) is None
    assert sniff_encoding(late, None).name == "big5"


@pytest.mark.parametrize(
    "content,label",
    [
        ("text/html; charset=x", "x"),
        ("charset charset = 'x y' z", "x y"),
        ('charset="x', None),
        ("charset=", None),
        ("CHARSET=x;y", "x"),
        ("text/html", None),
    ],
)
def test_a_content_attribute_may_name_an_encoding(content: str, label: str | None) -> None:
    assert label_in_meta_content(content) == label


@pytest.mark.parametrize(
    "text,encoding",
    [(RUSSIAN, name) for name in ("windows-1251", "koi8-r", "ibm866")]
    + [(JAPANESE, "shift_jis"), (JAPANESE, "euc-jp"), (JAPANESE, "utf-8")],
)
def test_the_script_of_an_undeclared_page_is_recognised(text: str, encoding: str) -> None:
    codec = webencodings.lookup(encoding).codec_info
    body = b"<html><body><p>" + codec.encode(text)[0] + b"</p>"
    assert encoding_by_content(body) == encoding


@pytest.mark.parametrize("encoding", ["windows-1252", "iso-8859-15"])
def test_an_undeclared_page_in_latin_letters_is_read_as_browsers_read_it(encoding: str) -> None:
    assert sniff_encoding(FRENCH.encode(encoding), None).name == "windows-1252"


def test_open_places_of_windows_code_pages_are_controls() -> None:
    assert decode(b"\x80\x81\x9d", "windows-1252") == "\u20ac\x81\x9d"
    assert decode(b"\x81\xaa", "windows-1253") == "\x81\ufffd"


def test_gbk_is_read_as_gb18030() -> None:
    assert decode("€\U00020087".encode("gb18030"), "gbk") == "€\U00020087"


def test_the_replacement_encoding_gives_nothing_away() -> None:
    assert encoding_of_label("iso-2022-kr") == "replacement"
    assert decode(b"<script>", "replacement") == "\ufffd"


@pytest.mark.parametrize("name", NAMES)
def test_plain_letters_survive_in_every_encoding_but_utf_16(name: str) -> None:
    if name.startswith("utf-16"):
        assert decode("\ufeffabc".encode(name), name) == "abc"
    elif name != "replacement":
        assert decode(b"abc <p>", name) == "abc <p>"


@given(st.text(), st.sampled_from(["utf-8", "utf-16le", "utf-16be", "gb18030"]))
def test_what_was_encoded_comes_back_without_its_mark(text: str, name: str) -> None:
    assert decode(text.encode(name), name) == text.removeprefix("\ufeff")


@given(st.binary(max_size=300), st.sampled_from(NAMES))
def test_any_bytes_can_be_read_in_any_encoding_and_written_as_utf_8(body: bytes, name: str) -> None:
    decode(body, name).encode()


markup = st.lists(
    st.sampled_from(
        [
            *(b"<meta", b" charset=", b"utf-8", b"'", b'"', b">", b"<!--", b"-->", b"/", b"=", b"<a ", b"x"),
            *(b" http-equiv=content-type", b" content='text/html;charset=big5'", b"<?xml encoding="),
            *(b"\xe9", b"\xff\xfe"),
        ]
    ),
    max_size=12,
).map(b"".join)


@given(markup | st.binary(max_size=100), st.none() | st.text(max_size=40))
def test_any_page_gets_an_encoding_that_exists(body: bytes, content_type: str | None) -> None:
    assert sniff_encoding(body, content_type).name in NAMES


@given(markup)
def test_remembering_heads_of_pages_changes_no_answer(head: bytes) -> None:
    """What is remembered is the answer for a beginning; more bytes behind it must not matter."""
    if (name := declared_encoding(head)) and not head.startswith((b"<?xml", b"<\0", b"\0<")):
        assert declared_encoding(head + b"<meta charset=koi8-r>") == name


@given(st.text(max_size=60))
def test_any_field_is_a_content_type_or_none(field: str) -> None:
    parsed = parse_content_type(field)
    assert parsed is None or "/" in parsed.essence


def test_a_content_type_keeps_the_charset_of_equal_types_before_it() -> None:
    assert parse_content_type("text/html;charset=a, text/html") == ContentType("text/html", "a")
    assert parse_content_type("text/html;charset=a, text/plain") == ContentType("text/plain")
    assert parse_content_type('text/html;x=",";charset=b') == ContentType("text/html", "b")
    assert parse_content_type("nonsense") is None


@given(st.text(max_size=60))
def test_every_body_is_taken_for_some_type_and_for_the_one_that_browsers_read_if_there_is_one(field: str) -> None:
    parsed = parse_content_type(field)
    assert "/" in essence_of(field)
    assert parsed is None or essence_of(field) == parsed.essence


def test_queries_go_out_in_the_encoding_of_their_page() -> None:
    assert with_encoded_query("/ä?ä=€", "windows-1252") == "/ä?%E4=%80"
    assert with_encoded_query("/?q=草", "windows-1252") == "/?q=%26%2333609%3B"
    assert with_encoded_query("/ä", "windows-1252") == "/ä"
    assert with_encoded_query("/?a 'b", "windows-1252") == "/?a 'b"


@given(st.text(max_size=30), st.sampled_from(NAMES))
def test_any_href_can_be_encoded(href: str, name: str) -> None:
    encoded = with_encoded_query(href, name)
    assert encoded.partition("?")[2].isascii()


def test_an_encoding_that_does_not_exist_is_named() -> None:
    with pytest.raises(LookupError, match="no such encoding: 'klingon'"):
        decode(b"abc", "klingon")
