"""Encodings as the tests of html5lib, the web platform, jsdom and w3lib have them."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from hinterland.crawler.fetching.content_type import parse_content_type
from hinterland.crawler.parsing.charset.encoding import content_type_encoding, decode, sniff_encoding
from hinterland.crawler.parsing.charset.encoding_prescan import declared_encoding, encoding_of_label
from tests.support.shared_data import conformance_cases

CASES = conformance_cases("charset_cases")

DEVIATIONS = {
    "of several types the last counts (Fetch, 'extract a MIME type')": "charset-0443",
    "`< meta` is text, not a tag": "charset-0450",
    "only http-equiv=Content-Type, spelt so, declares an encoding": "charset-0456 charset-0457",
    "there is no UTF-32 on the web (Encoding, 4.2), nor UTF-16 that means big-endian": (
        "charset-0481 charset-0484 charset-0485 charset-0486"
    ),
}


def answer(case: dict[str, Any]) -> object:
    body = b64decode(case.get("body_b64", ""))
    content_type = case["content_type"]
    match case["kind"]:
        case "sniff":
            return sniff_encoding(body, content_type, case.get("default", "windows-1252")).name
        case "label":
            return encoding_of_label(case["label"])
        case "http_header":
            return content_type_encoding(content_type)
        case "http_header_multi":
            return content_type_encoding(", ".join(content_type))
        case "mime_essence":
            return _essence(content_type)
        case "meta_declared":
            return declared_encoding(body)
        case "decode":
            return decode(body, sniff_encoding(body, content_type).name)
    raise AssertionError(case["kind"])


def _essence(content_type: str) -> str | None:
    parsed = parse_content_type(content_type)
    return None if parsed is None else parsed.essence


def expected(case: dict[str, Any]) -> object:
    match case["kind"]:
        case "mime_essence":
            return case.get("essence")
        case "decode":
            return case["text"]
        case _:
            return case["encoding"]


def deviating(cases: list[dict[str, Any]]) -> list[str]:
    return [case["id"] for case in cases if answer(case) != expected(case)]


def test_every_normative_case_holds() -> None:
    cases = [case for case in CASES if case["tier"] == "normative"]
    assert len(cases) > 200
    assert deviating(cases) == []


def test_the_essence_of_several_content_types_is_that_of_the_last() -> None:
    cases = [case for case in CASES if case["kind"] == "http_header_multi"]
    assert [_essence(", ".join(case["content_type"])) for case in cases] == [case["essence"] for case in cases]


def test_elsewhere_we_deviate_exactly_where_we_mean_to() -> None:
    known = [name for names in DEVIATIONS.values() for name in names.split()]
    assert deviating([case for case in CASES if case["tier"] != "normative"]) == sorted(known)
