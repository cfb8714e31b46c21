"""DNS messages."""

from __future__ import annotations

import ipaddress
import string
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.internet.dns_messages import (
    AAAA,
    ASKED_NAME,
    CNAME,
    HTTPS,
    NOERROR,
    NXDOMAIN,
    SERVFAIL,
    SOA,
    A,
    BadMessage,
    Record,
    absence_record,
    address_record,
    below_asked,
    encode_answer,
    encode_question,
    read_answer,
    read_question,
    record,
)

QUESTION = bytes.fromhex("1234 0100 0001 0000 0000 0000") + b"\3www\7example\0" + bytes.fromhex("0001 0001")
LABELS = st.text(string.ascii_lowercase + string.digits + "-_", min_size=1, max_size=63)
NAMES = st.lists(LABELS, min_size=1, max_size=4).map(".".join).filter(lambda name: len(name) < 250)
CODES = st.sampled_from([NOERROR, SERVFAIL, NXDOMAIN])
ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))
SECONDS = st.integers(0, 2**31 - 1)


def test_a_question_is_encoded_as_in_the_standard() -> None:
    assert encode_question(0x1234, "www.example", A) == QUESTION


def test_an_answer_is_encoded_as_in_the_standard() -> None:
    question = read_question(QUESTION)
    answer = encode_answer(question, answers=[address_record(ASKED_NAME, 300, bytes([192, 0, 2, 1]))])
    head = bytes.fromhex("1234 8180 0001 0001 0000 0000") + QUESTION[12:]
    assert answer == head + bytes.fromhex("c00c 0001 0001 0000012c 0004 c0000201")


def test_the_case_of_a_question_is_repeated_but_ignored() -> None:
    message = QUESTION.replace(b"www", b"wWw")
    question = read_question(message)
    assert question.name == "www.example"
    assert message[12:] in encode_answer(question)


def test_options_are_answered_with_options() -> None:
    options = bytes.fromhex("00 0029 04d0 00000000 0000")
    message = QUESTION[:10] + b"\0\1" + QUESTION[12:] + options
    assert encode_answer(read_question(message)).endswith(options)
    assert read_question(message).has_options
    assert not read_question(QUESTION).has_options


def test_a_chain_of_names_ends_in_an_address() -> None:
    middle = below_asked("c1")
    records = [record(ASKED_NAME, CNAME, 60, middle), address_record(middle, 60, bytes(16))]
    answer = read_answer(encode_answer(read_question(QUESTION), answers=records))
    assert answer.answers == [
        Record("www.example", CNAME, 60, "c1.www.example"),
        Record("c1.www.example", AAAA, 60, "::"),
    ]


@pytest.mark.parametrize("name, zone", [("a.b.example", "b.example"), ("example", "")])
def test_absence_is_shown_by_the_zone_above(name: str, zone: str) -> None:
    question = read_question(encode_question(1, name, A))
    answer = read_answer(encode_answer(question, NXDOMAIN, authority=[absence_record(name, 90)]))
    assert (answer.code, answer.answers) == (NXDOMAIN, [])
    assert answer.authority == [Record(zone, SOA, 90, "90")]


@pytest.mark.slow
@given(st.integers(0, 2**16 - 1), NAMES, st.sampled_from([A, AAAA, CNAME, HTTPS]))
def test_a_question_is_read_as_it_was_written(question_id: int, name: str, record_type: int) -> None:
    question = read_question(encode_question(question_id, name, record_type))
    assert (question.id, question.name, question.type) == (question_id, name, record_type)
    assert question.recursion_desired


@pytest.mark.slow
@given(NAMES, CODES, st.booleans(), st.lists(st.tuples(ADDRESSES, SECONDS), max_size=5))
def test_an_answer_is_read_as_it_was_written(
    name: str,
    code: int,
    is_truncated: bool,
    addresses: list[tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]],
) -> None:
    records = [address_record(ASKED_NAME, ttl, address.packed) for address, ttl in addresses]
    question = read_question(encode_question(7, name, A))
    answer = read_answer(encode_answer(question, code, answers=records, is_truncated=is_truncated))
    assert (answer.id, answer.code, answer.is_truncated, answer.name) == (7, code, is_truncated, name)
    assert [(found.data, found.ttl) for found in answer.answers] == [(str(a), ttl) for a, ttl in addresses]


@given(st.binary(max_size=80))
def test_no_bytes_at_all_do_more_harm_than_being_refused(message: bytes) -> None:
    for read in (read_question, read_answer):
        with suppress(BadMessage):
            read(message)


def test_an_answer_is_no_question_nor_the_other_way_round() -> None:
    with pytest.raises(BadMessage):
        read_question(encode_answer(read_question(QUESTION)))
    with pytest.raises(BadMessage):
        read_answer(QUESTION)


def test_a_name_that_points_at_itself_is_refused() -> None:
    with pytest.raises(BadMessage, match="without an end"):
        read_question(QUESTION[:12] + ASKED_NAME + bytes.fromhex("0001 0001"))


@pytest.mark.parametrize("name", ["a..b", "x" * 64, ".".join(["x" * 60] * 5)])
def test_a_name_that_cannot_be_is_not_encoded(name: str) -> None:
    with pytest.raises(BadMessage, match="no name"):
        encode_question(1, name, A)
