from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.fetching.decoding import (
    ContentCorrupt,
    ContentDecodingError,
    ContentTooLarge,
    ContentTruncated,
    UnknownContentEncoding,
    decode_content,
    zstd,
)

PAGE = b"<p>An ordinary page, with a few repetitions in it: " + b"words and more words, " * 200
LIMIT = 100_000


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(data) + compressor.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}
codings = pytest.mark.parametrize("coding", ENCODERS)


@given(st.binary(max_size=2000), st.lists(st.sampled_from(sorted(ENCODERS)), max_size=4))
def test_what_was_encoded_comes_back(data: bytes, names: list[str]) -> None:
    body = data
    for name in names:
        body = ENCODERS[name](body)
    assert decode_content(body, ", ".join(names), LIMIT) == data


@given(
    st.binary(max_size=300),
    st.sampled_from([*sorted(ENCODERS), "gzip, br", "identity", ""]),
    st.integers(0, 300),
)
def test_any_bytes_give_a_page_within_the_limit_or_a_named_failure(body: bytes, coding: str, limit: int) -> None:
    try:
        page = decode_content(body, coding, limit)
    except ContentDecodingError as error:
        failure = error
    else:
        assert len(page) <= limit
        return
    assert type(failure) is not ContentDecodingError, "one of its kinds"


@codings
def test_a_page_of_exactly_the_limit_is_not_too_large(coding: str) -> None:
    body = ENCODERS[coding](PAGE)
    assert decode_content(body, coding, len(PAGE)) == PAGE
    with pytest.raises(ContentTooLarge):
        decode_content(body, coding, len(PAGE) - 1)


@codings
def test_every_truncated_body_is_an_error(coding: str) -> None:
    body = ENCODERS[coding](PAGE)
    for length in range(1, len(body)):
        with pytest.raises(ContentTruncated) as broken:
            decode_content(body[:length], coding, LIMIT)
        assert PAGE.startswith(broken.value.part)


def test_the_part_of_a_body_that_is_coded_twice_is_not_taken_for_content() -> None:
    with pytest.raises(ContentTruncated) as broken:
        decode_content(gzip.compress(gzip.compress(PAGE))[:-9], "gzip, gzip", LIMIT)
    assert broken.value.part == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd"])
def test_a_changed_checksum_is_noticed(coding: str) -> None:
    checked = {int(zstd.CompressionParameter.checksum_flag): 1}
    body = bytearray(zstd.compress(PAGE, options=checked) if coding == "zstd" else ENCODERS[coding](PAGE))
    body[-5 if coding == "gzip" else -1] ^= 1
    with pytest.raises(ContentCorrupt):
        decode_content(bytes(body), coding, LIMIT)


@codings
def test_a_body_in_no_coding_at_all_is_corrupt(coding: str) -> None:
    with pytest.raises(ContentDecodingError):
        decode_content(b"<!doctype html><title>not compressed</title>", coding, LIMIT)


@pytest.mark.slow
@codings
def test_a_bomb_is_given_up_before_it_takes_memory(coding: str) -> None:
    bomb = ENCODERS[coding](bytes(16_000_000))
    tracemalloc.start()
    with pytest.raises(ContentTooLarge):
        decode_content(bomb, coding, 1_000_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.slow
def test_a_bomb_inside_a_bomb_is_given_up_at_the_first_layer() -> None:
    bomb = gzip.compress(gzip.compress(bytes(16_000_000)))
    with pytest.raises(ContentTooLarge):
        decode_content(bomb, "gzip, gzip", 10_000)


def test_members_and_frames_in_a_row_are_one_page() -> None:
    assert decode_content(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", LIMIT) == b"one two"
    assert decode_content(zstd.compress(b"one ") + zstd.compress(b"two"), "zstd", LIMIT) == b"one two"
    with pytest.raises(ContentTooLarge):
        decode_content(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip", 6)


def test_rubbish_after_the_last_gzip_member_is_ignored_as_browsers_do() -> None:
    assert decode_content(gzip.compress(PAGE) + bytes(100), "gzip", LIMIT) == PAGE
    assert decode_content(gzip.compress(PAGE) + b"<!-- served by -->", "gzip", LIMIT) == PAGE
    assert decode_content(gzip.compress(PAGE) + b"\x1f", "gzip", LIMIT) == PAGE


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_thousands_of_members_are_no_page(coding: str) -> None:
    with pytest.raises(ContentCorrupt, match="1000"):
        decode_content(ENCODERS[coding](b"") * 1001, coding, LIMIT)


def test_a_zstd_window_beyond_what_the_web_uses_is_refused() -> None:
    compressor = zstd.ZstdCompressor(options={int(zstd.CompressionParameter.window_log): 26})
    body = compressor.compress(PAGE) + compressor.flush()
    with pytest.raises(ContentCorrupt):
        decode_content(body, "zstd", LIMIT)


def test_deflate_may_be_bare() -> None:
    assert decode_content(raw_deflate(PAGE), "deflate", LIMIT) == PAGE


@pytest.mark.parametrize("field", ["", "identity", " Identity ", ",", "identity, identity"])
def test_identity_changes_nothing(field: str) -> None:
    assert decode_content(PAGE, field, LIMIT) == PAGE
    with pytest.raises(ContentTooLarge):
        decode_content(PAGE, field, 10)


def test_names_of_codings_do_not_mind_case_and_space() -> None:
    assert decode_content(gzip.compress(PAGE), " GZip ,", LIMIT) == PAGE


NO_CODINGS = [
    *("UTF-8", "utf8", "none", "text/html", "binary", "8bit", "7bit", "ascii", "iso-8859-1", "null", "deflated", "*"),
    *("application/gzip", "text/html; charset=utf-8", "amz-1.0", "en", "compress", "plain", "x" * 60_000, "?!", "\xe9"),
    *("identity, utf-8", "utf-8,", "none, none, none, none, none, none", "quoted-printable, UTF-8"),
]
DOCUMENTS = [
    b"plain text",
    "Grüße aus Köln".encode("latin-1"),
    "日本語の文章です。".encode("shift_jis"),
    "日本語の文章です。".encode("iso-2022-jp"),
    "Ж".encode("koi8-r"),
    "\ufeff<p>Grüße 日本</p>".encode("utf-16-le"),
    "<p>Grüße</p>".encode("utf-16-be"),
    b"<p>one\0two</p>" + b"text " * 20,
    b"%PDF-1.7\n%\xe2\xe3\xcf\xd3" + bytes(200),
    b"PK\x03\x04\x14\0" + bytes(200),
    b"?",
]


@pytest.mark.parametrize("field", NO_CODINGS, ids=lambda field: field[:20])
def test_what_is_no_coding_is_ignored_as_browsers_do(field: str) -> None:
    assert decode_content(PAGE, field, LIMIT) == PAGE
    with pytest.raises(ContentTooLarge):
        decode_content(PAGE, field, 10)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_can_be_read_is_read_whatever_coding_it_is_said_to_have(document: bytes) -> None:
    assert decode_content(document, "utf-8", LIMIT) == document


@pytest.mark.parametrize("field", ["utf-8, gzip", "gzip, utf-8", "none, gzip, utf-8", "gzip;q=1.0", '"gzip"'])
def test_beside_what_is_no_coding_one_is_undone(field: str) -> None:
    assert decode_content(gzip.compress(PAGE), field, LIMIT) == PAGE


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, brotli.compress, zlib.compress, zstd.compress]
)
@pytest.mark.parametrize("field", ["compress", "br2, sdch", "identity, sdch"])
def test_what_is_packed_in_a_coding_that_nobody_knows_is_refused_by_its_name(
    field: str, pack: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(UnknownContentEncoding, match=r"its coding (sdch|compress) is unknown"):
        decode_content(pack(PAGE), field, LIMIT)


def test_more_codings_than_anybody_applies_are_refused() -> None:
    with pytest.raises(UnknownContentEncoding, match="5 codings"):
        decode_content(gzip.compress(PAGE), ", ".join(["gzip"] * 5), LIMIT)


texts = st.text(st.characters(exclude_categories=["C"], include_characters="\n\t"))


@pytest.mark.slow
@given(texts, st.sampled_from(["utf-8", "utf-16"]))
def test_every_text_is_readable(text: str, charset: str) -> None:
    body = f"<p>{text}".encode(charset)
    assert decode_content(body, "none", len(body)) == body


def test_an_empty_body_is_empty_whatever_its_coding() -> None:
    """Servers label empty bodies too; a reader that needs a page will notice that there is none."""
    assert decode_content(b"", "gzip, br", LIMIT) == b""
