"""The parts of a page that readers may ask for."""

from __future__ import annotations

from hinterland.crawler.parsing.html.page_elements import ElementsReader, read_elements
from hinterland.crawler.parsing.html.page_parts import MAX_PARTS, NO_PARTS, REFERRING, USE
from hinterland.crawler.parsing.resources.elements import URLS_OF_ELEMENTS
from tests.support.page_parsing import compiled


def test_every_element_that_may_refer_to_a_resource_is_read() -> None:
    assert {*URLS_OF_ELEMENTS, "link"} == {*REFERRING, USE}


def test_elements_beyond_the_limit_are_counted_by_both_readers() -> None:
    html = b"<link href=x>" * (MAX_PARTS + 3) + b"<p id=last>"
    for read in _readers():
        parts = read(html, max_anchors=1, with_text=False, with_parts=True).parts
        assert (len(parts.referring), parts.left_out, parts.ids) == (MAX_PARTS, 3, ["last"])


def test_parts_are_read_only_on_request() -> None:
    for read in _readers():
        assert read(b"<p id=a><img src=b>", max_anchors=1, with_text=True).parts == NO_PARTS


def _readers() -> list[ElementsReader]:
    in_c = compiled()
    return [read_elements] if in_c is None else [read_elements, in_c]
