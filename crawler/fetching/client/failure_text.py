"""Describes what went wrong with a request, for readers of a store.

aiohttp's errors are written for programmers: they contain a repr of the half-read message, of a tuple or of bytes,
error numbers of the operating system, and positions in C files.
"""

from __future__ import annotations

import ast
import os
import re
import ssl

import aiohttp

from hinterland.crawler.fetching.header_fields import field_text

_MAX_CHARACTERS = 300
_ERRNO = re.compile(r"\[Errno (-?\d+)\]")
_OCTETS = re.compile(r"""b'(?:[^'\\]|\\.)*'|b"(?:[^"\\]|\\.)*\"""")
_PLACE_IN_C = re.compile(r"\[\w+(?:: \w+)?\] | \(_\w+\.c:\d+\)")
_RECEIVED = re.compile(r"received (\d+) of (\d+) bytes")


def failure_text(error: BaseException) -> str:
    """Return a description of an error: one line of plain English, of at most 300 characters."""
    text = " ".join(field_text(_words(error)).split())
    return text[:_MAX_CHARACTERS] or "it failed without a reason"


def _words(error: BaseException) -> str:
    match error:
        case aiohttp.ClientProxyConnectionError():
            return f"the proxy: {_words(error.os_error)}"
        case aiohttp.ClientConnectorCertificateError():
            return _words(error.certificate_error)
        case aiohttp.ClientConnectorError():
            return _words(error.os_error)
        case ssl.SSLCertVerificationError():
            return f"the certificate is not valid: {error.verify_message}"
        case ssl.SSLError():
            return f"TLS failed: {_without_octets(error.strerror or str(error))}"
        case aiohttp.ClientHttpProxyError():
            return f"the proxy answered with status {error.status}"
        case aiohttp.ClientResponseError():
            return _without_octets(error.message)
        case aiohttp.ServerDisconnectedError():
            return _of_disconnection(error)
        case aiohttp.ClientPayloadError():
            return _of_body(str(error))
        case OSError():
            return _of_system(error)
    return _without_octets(str(error))


def _of_disconnection(error: aiohttp.ServerDisconnectedError) -> str:
    if not isinstance(error.message, str):  # it is what had been read of the head
        return "the connection was closed within the header fields"
    if error.message == "Server disconnected":  # aiohttp's own
        return "the connection was closed without an answer"
    return error.message


def _of_body(text: str) -> str:
    if received := _RECEIVED.search(text):
        return f"the body breaks off after {received[1]} of {received[2]} bytes"
    if "Not enough data" in text:
        return "the body breaks off within its chunks"
    return _without_octets(text).replace("400, message: ", "")


def _of_system(error: OSError) -> str:
    """Return the text of a system error without addresses, which the store has with the host."""
    numbers = [] if error.errno is None else [error.errno]
    numbers += map(int, _ERRNO.findall(str(error)))  # the errors of all addresses that were tried
    if numbers := [number for number in dict.fromkeys(numbers) if number > 0]:
        return "; ".join(map(os.strerror, numbers)).lower()
    return _without_octets(error.strerror or str(error))


def _without_octets(text: str) -> str:
    """Return a text without Python's b'...' notation and without pointers to positions in a line or file."""

    def decoded(match: re.Match[str]) -> str:
        octets: bytes = ast.literal_eval(match[0])
        return "".join(character if character.isprintable() else "?" for character in octets.decode("latin-1"))

    text = _PLACE_IN_C.sub("", text)
    lines = [line for line in text.splitlines() if line.strip(" ^")]
    return _OCTETS.sub(decoded, " ".join(lines)).rstrip(" ^")
