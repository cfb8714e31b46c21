"""DNS messages (RFC 1035), as far as a recursive name server and its clients need them. Pure."""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

A, CNAME, SOA, AAAA, OPT, HTTPS = 1, 5, 6, 28, 41, 65
NOERROR, FORMERR, SERVFAIL, NXDOMAIN = 0, 1, 2, 3
INTERNET: Final = 1

_HEADER: Final = struct.Struct(">6H")
_QUESTION_TAIL: Final = struct.Struct(">HH")
_RECORD: Final = struct.Struct(">HHIH")
_SOA_NUMBERS: Final = struct.Struct(">5I")
_RESPONSE, _TRUNCATED, _RECURSION_DESIRED, _RECURSION_AVAILABLE = 0x8000, 0x0200, 0x0100, 0x0080
_QUESTION_AT: Final = 12
_POINTER: Final = 0xC000
_MOST_JUMPS: Final = 64
_UDP_SIZE: Final = 1232
_OPTIONS: Final = b"\0" + _RECORD.pack(OPT, _UDP_SIZE, 0, 0)


class BadMessage(ValueError):
    """Bytes that are no DNS message, in words."""


@dataclass(frozen=True, slots=True)
class Question:
    """A DNS question.

    `name` is in lower case, without the final dot. `asked` is the question as received, which an answer repeats
    (clients check even the case of letters). `has_options` says that the client knows EDNS.
    """

    id: int
    name: str
    type: int
    asked: bytes
    has_options: bool
    recursion_desired: bool = True


@dataclass(frozen=True, slots=True)
class Record:
    """A record; `data` is an address, a name or for an SOA the seconds of negative caching, as text; else in hex."""

    name: str
    type: int
    ttl: int
    data: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a question."""

    id: int
    code: int
    is_truncated: bool
    name: str
    type: int
    answers: list[Record]
    authority: list[Record]


# --- questions ----------------------------------------------------------------------------------


def encode_name(name: str) -> bytes:
    """Return a name as its labels; raises BadMessage if it cannot be one."""
    labels = [label.encode("ascii") for label in name.split(".")] if name else []
    if any(not 0 < len(label) < 64 for label in labels) or sum(map(len, labels)) + len(labels) > 254:
        raise BadMessage(f"no name has such labels: {name!r}")
    return b"".join(bytes((len(label),)) + label for label in labels) + b"\0"


def encode_question(question_id: int, name: str, record_type: int) -> bytes:
    """Return the message that asks a recursive name server for the records of a name."""
    header = _HEADER.pack(question_id, _RECURSION_DESIRED, 1, 0, 0, 0)
    return header + encode_name(name) + _QUESTION_TAIL.pack(record_type, INTERNET)


def read_question(message: bytes) -> Question:
    """Return the one question of a message; raises BadMessage."""
    try:
        question_id, flags, questions, answers, authority, additional = _HEADER.unpack_from(message)
        if flags & 0xF800 or questions != 1 or answers or authority:  # a response, or another operation
            raise BadMessage("not one question")
        name, at = _read_name(message, _QUESTION_AT)
        record_type, _ = _QUESTION_TAIL.unpack_from(message, at)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise BadMessage(f"no question: {error}") from None
    asked = message[_QUESTION_AT : at + 4]
    return Question(question_id, name, record_type, asked, additional > 0, bool(flags & _RECURSION_DESIRED))


def _read_name(message: bytes, at: int) -> tuple[str, int]:
    """Read a name, and return it with the position after it.

    Raises BadMessage, IndexError or UnicodeDecodeError.
    """
    labels: list[bytes] = []
    end = None
    for _ in range(_MOST_JUMPS + 128):
        length = message[at]
        if length >= 0xC0:
            end = at + 2 if end is None else end
            at = (length & 0x3F) << 8 | message[at + 1]
        elif length:
            labels.append(message[at + 1 : at + 1 + length])
            at += 1 + length
        else:
            return b".".join(labels).decode("ascii").lower(), at + 1 if end is None else end
    raise BadMessage("a name without an end")


# --- answers ------------------------------------------------------------------------------------

ASKED_NAME: Final = struct.pack(">H", _POINTER | _QUESTION_AT)
"""The name of the question, wherever a name may stand in an answer."""


def below_asked(label: str) -> bytes:
    """Return the name that is `label` below the name of the question."""
    return bytes((len(label),)) + label.encode("ascii") + ASKED_NAME


def above_asked(name: str) -> bytes:
    """Return the name above `name`, which is the question's."""
    first, dot, _ = name.partition(".")
    return struct.pack(">H", _POINTER | (_QUESTION_AT + 1 + len(first))) if dot else b"\0"


def record(owner: bytes, record_type: int, ttl: int, data: bytes) -> bytes:
    """Return a record of an answer."""
    return owner + _RECORD.pack(record_type, INTERNET, ttl, len(data)) + data


def address_record(owner: bytes, ttl: int, address: bytes) -> bytes:
    """Return the A or AAAA record with a packed address."""
    return record(owner, A if len(address) == 4 else AAAA, ttl, address)


def absence_record(name: str, ttl: int) -> bytes:
    """Return the SOA that says for how long it may be kept that `name`, the question's, has no such record."""
    zone = above_asked(name)
    return record(zone, SOA, ttl, zone + zone + _SOA_NUMBERS.pack(1, 7200, 3600, 86400, ttl))


def encode_answer(
    question: Question,
    code: int = NOERROR,
    *,
    answers: Sequence[bytes] = (),
    authority: Sequence[bytes] = (),
    is_truncated: bool = False,
) -> bytes:
    """Return the message that answers a question."""
    flags = _RESPONSE | _RECURSION_AVAILABLE | code
    flags |= _TRUNCATED if is_truncated else 0
    flags |= _RECURSION_DESIRED if question.recursion_desired else 0
    header = _HEADER.pack(question.id, flags, 1, len(answers), len(authority), int(question.has_options))
    options = _OPTIONS if question.has_options else b""
    return b"".join((header, question.asked, *answers, *authority, options))


def read_answer(message: bytes) -> Answer:
    """Return what a message answers; raises BadMessage."""
    try:
        answer_id, flags, questions, answers, authority, _ = _HEADER.unpack_from(message)
        if not flags & _RESPONSE or questions != 1:
            raise BadMessage("not the answer to one question")
        name, at = _read_name(message, _QUESTION_AT)
        record_type, _ = _QUESTION_TAIL.unpack_from(message, at)
        at += 4
        records: list[Record] = []
        for _ in range(answers + authority):
            found, at = _read_record(message, at)
            records.append(found)
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise BadMessage(f"no answer: {error}") from None
    parts = records[:answers], records[answers:]
    return Answer(answer_id, flags & 0xF, bool(flags & _TRUNCATED), name, record_type, *parts)


def _read_record(message: bytes, at: int) -> tuple[Record, int]:
    owner, at = _read_name(message, at)
    record_type, _, ttl, size = _RECORD.unpack_from(message, at)
    begin = at + _RECORD.size
    data = message[begin : begin + size]
    if len(data) < size:
        raise BadMessage("a record that is cut off")
    match record_type:
        case 1 | 28 if size in (4, 16):
            text = str(ipaddress.ip_address(data))
        case 5:
            text = _read_name(message, begin)[0]
        case 6:
            text = str(_SOA_NUMBERS.unpack(data[-_SOA_NUMBERS.size :])[-1])
        case _:
            text = data.hex()
    return Record(owner, record_type, ttl, text), begin + size
