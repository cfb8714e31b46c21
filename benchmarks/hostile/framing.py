"""HTTP/1.1 broken in its framing: lengths, chunks, lines and fields (RFC 9112)."""

from __future__ import annotations

from typing import Final

from benchmarks.hostile.behaviour import Behaviour, http, page, raw

_BODY: Final = page("framed").encode()
_TYPE: Final = b"Content-Type: text/html\r\n"
_TE: Final = b"HTTP/1.1 200 OK\r\n" + _TYPE + b"Transfer-Encoding: chunked\r\n\r\n"
_ONE_CHUNK: Final = b"%x\r\n%s\r\n" % (len(_BODY), _BODY)
_END: Final = b"0\r\n\r\n"


def _with(*lines: bytes, body: bytes = _BODY) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", _TYPE.strip(), *lines]) + b"\r\n\r\n" + body


def _one(name: str, data: bytes, outcome: str = "", *, close: bool = True) -> Behaviour:
    return Behaviour(name, {"/odd": raw(data, close=close)}, expected={"/odd": outcome} if outcome else {})


_LENGTH: Final = b"Content-Length: %d" % len(_BODY)

BEHAVIOURS: Final = [
    _one("until-close", _with(b"Connection: close"), "fetched"),
    _one("length-and-chunks", _with(_LENGTH, b"Transfer-Encoding: chunked", body=_ONE_CHUNK + _END)),
    _one("two-lengths", _with(_LENGTH, b"Content-Length: 5")),
    _one("same-length-twice", _with(_LENGTH, _LENGTH)),
    _one("negative-length", _with(b"Content-Length: -5")),
    _one("length-in-words", _with(b"Content-Length: many")),
    _one("endless-length", _with(b"Content-Length: 99999999999999999999999")),
    _one("length-too-small", _with(b"Content-Length: 20")),
    _one("length-too-large", _with(b"Content-Length: 5000"), "truncated"),
    _one("chunk-not-hex", _TE + b"zz\r\nhello\r\n" + _END),
    _one("chunk-with-spaces", _TE + b"%x  \r\n%s\r\n" % (len(_BODY), _BODY) + _END),
    _one("chunk-overflow", _TE + b"ffffffffffffffffff\r\nhello"),
    _one("chunk-huge", _TE + b"7fffffffffffffff\r\nhello"),
    _one("chunk-negative", _TE + b"-5\r\nhello\r\n" + _END),
    _one("chunk-without-end", _TE + b"5\r\nhelloX5\r\nhello\r\n" + _END),
    _one("last-chunk-missing", _TE + _ONE_CHUNK),
    _one("trailers", _TE + _ONE_CHUNK + b"0\r\nX-Late: yes\r\n\r\n", "fetched"),
    _one("length-in-trailer", _TE + _ONE_CHUNK + b"0\r\nContent-Length: 3\r\n\r\n"),
    _one("chunk-extensions", _TE + b"5;" + b"x=y;" * 10_000 + b"\r\nhello\r\n" + _END),
    _one("thousand-trailers", _TE + _ONE_CHUNK + b"0\r\n" + b"X-Late: yes\r\n" * 5000 + b"\r\n"),
    _one("line-feeds-only", http(_BODY).replace(b"\r\n", b"\n")),
    _one("no-reason", http(_BODY, "200"), "fetched"),
    _one("http-0.9", _BODY),
    _one("http-9.9", http(_BODY).replace(b"HTTP/1.1", b"HTTP/9.9")),
    _one("http-2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9)),
    _one("icy", http(_BODY).replace(b"HTTP/1.1", b"ICY")),
    _one("field-without-colon", _with(_LENGTH, b"X-Nonsense")),
    _one("folded-field", _with(_LENGTH, b"X-Folded: one\r\n two")),
    _one("nul-in-field", _with(_LENGTH, b"X-Nul: a\0b")),
    _one("space-before-colon", _with(b"Content-Length : %d" % len(_BODY))),
    _one("six-hundred-fields", _with(_LENGTH, *(b"X-%d: y" % n for n in range(600)))),
    _one("field-of-100-kb", _with(_LENGTH, b"X-Long: " + b"y" * 100_000)),
    _one("head-of-10-mb", _with(_LENGTH, *(b"X-%d: %s" % (n, b"y" * 60_000) for n in range(170)))),
    _one("octets-in-fields", _with(_LENGTH, b"X-\xff: \xfe", b'ETag: "\xe9\xff"')),
    _one("status-of-five-digits", http(_BODY, "20000 OK")),
    _one("status-in-words", http(_BODY, "OK")),
    _one("empty-lines-first", b"\r\n\r\n" + http(_BODY)),
    _one("rubbish", bytes(range(256)) * 50),
    _one("nothing", b""),
    _one("half-a-head", b"HTTP/1.1 200 OK\r\nContent-Ty"),
    _one("no-content-with-body", http(_BODY, "204 No Content")),
    _one("two-answers", http(_BODY) + http(page("not asked for")), close=False),
    _one("switches-protocols", http("", "101 Switching Protocols", ["Upgrade: websocket"]) + b"\x81\x05hello"),
    _one("gzip-chunked", _TE.replace(b"chunked", b"gzip, chunked") + _ONE_CHUNK + _END),
]
