"""What is read out of a page: its main content, its language, and nothing that hostile HTML can stretch."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.blocks.main_blocks import packed_runs
from hinterland.search import main_content
from hinterland.search.main_content import (
    HostProfile,
    digest,
    digest_of_visible_text,
    host_profile,
    primary_tag,
    without_blocks,
    without_templates,
)
from hinterland.search.store.values.documents import Digest, RawContent
from hinterland.storage.values.compression import packed, packed_bytes, unpacked

ENGLISH = "The ferry leaves the harbour every morning at eight and returns in the evening with the islanders."
GERMAN = "Die Fähre verlässt den Hafen jeden Morgen um acht und kehrt am Abend mit den Inselbewohnern zurück."


def raw(text: str | None = None, body: str | bytes | None = None, **changes: Any) -> RawContent:
    frame = packed(body) if isinstance(body, str) else body
    given = {"page": 3, "host": 0, "key": 9, "url": "http://a.test/", "charset": "utf-8", "language": ""}
    return RawContent(**{**given, "text": None if text is None else packed(text), "body": frame, **changes})


def text_of(found: Digest) -> str:
    return unpacked(found.text)


def page_of(main: str) -> str:
    menu = "".join(f"<li><a href='/{number}'>Menu entry {number}</a></li>" for number in range(30))
    return (
        f"<html><body><nav><ul>{menu}</ul></nav><main><h1>Timetable</h1><p>{main}</p></main>"
        "<footer>All rights reserved</footer></body></html>"
    )


# --- what was found when the page was parsed ------------------------------------------------------


def test_the_main_content_that_was_found_when_a_page_was_parsed_is_taken_with_and_without_its_body() -> None:
    text, runs = f"Home\n\nTimetable\n\n{ENGLISH}\n\nAll rights reserved", packed_runs([False, True, True, False])
    for body, extraction in ((None, "blocks"), (page_of(GERMAN), "main")):
        found = digest(raw(text, body, main=runs), HostProfile())
        assert (found.extraction, text_of(found)) == (extraction, f"Timetable\n\n{ENGLISH}")


def test_what_a_host_repeats_around_its_main_contents_is_taken_from_them() -> None:
    common = frozenset({"Share this", "Parameters", "More", "Like it?", "Read on"})
    blocks = ["Share this", ENGLISH, "Parameters", GERMAN, "More", "Like it?", "Read on", "An end", "More"]
    kept = [ENGLISH, "Parameters", GERMAN, "An end"]
    assert without_templates(blocks, common) == kept
    assert without_templates(blocks, frozenset()) == blocks
    assert without_templates(["More"], common) == []
    found = digest(raw("\n\n".join(blocks), main=packed_runs([True] * 9)), HostProfile(common))
    assert text_of(found) == "\n\n".join(kept)


# --- bodies ---------------------------------------------------------------------------------------


def test_of_a_body_the_main_content_is_taken_without_menus() -> None:
    found = digest(raw("everything", page_of(ENGLISH)), HostProfile())
    assert found.extraction == "main"
    assert ENGLISH in text_of(found)
    assert "Menu entry" not in text_of(found)


@pytest.mark.parametrize(
    "before, after, content_type",
    [
        ("<script src='s'/><title/>", "", "application/xhtml+xml"),
        ("<x-page><template shadowrootmode=open>", "</template></x-page>", "text/html"),
    ],
)
def test_the_main_content_is_that_of_the_tree_that_a_browser_shows(before: str, after: str, content_type: str) -> None:
    page = page_of(f"{ENGLISH} {ENGLISH}").replace("<main>", f"{before}<main>").replace("</main>", f"</main>{after}")
    found = digest(raw("", page, content_type=content_type), HostProfile())
    assert ENGLISH in text_of(found)


def test_if_the_main_content_is_missed_the_visible_text_is_taken() -> None:
    found = digest(raw(ENGLISH, "<html><body><nav>Menu</nav></body></html>"), HostProfile())
    assert (found.extraction, text_of(found)) == ("all", ENGLISH)


def test_a_page_with_little_text_keeps_what_little_was_found() -> None:
    found = digest(raw("Hello world", "<html><body><main><p>Hello world</p></main></body></html>"), HostProfile())
    assert found.extraction == "main"


def test_a_body_is_decoded_as_it_was_declared_or_as_it_says_itself() -> None:
    html = "<html><head><meta charset=iso-8859-7></head><body><main><p>Το πλοίο φεύγει</p></main></body></html>"
    frame = packed_bytes(html.encode("iso-8859-7"))
    for charset in (None, "iso-8859-7"):
        assert "πλοίο" in text_of(digest(raw(None, frame, charset=charset), HostProfile()))


@pytest.mark.parametrize("body", ["", "\0" * 500, "<!--", "<html><body><main>"])
def test_bodies_that_say_nothing_are_empty(body: str) -> None:
    found = digest(raw("", body), HostProfile())
    assert text_of(found).strip("\0") == ""


@pytest.mark.parametrize("tag", ["div", "SPAN class=x", "x-p", "section\n"])
def test_of_html_nested_beyond_reason_the_visible_text_is_taken(tag: str) -> None:
    found = digest(raw(ENGLISH, f"<{tag}>" * 100_000 + GERMAN), HostProfile())
    assert (found.extraction, text_of(found)) == ("all", ENGLISH)


@pytest.mark.parametrize("part", ["<p>paragraph", "<li>item", "<div>part</div>", "<br>", "<b>bold", "<td>cell"])
def test_elements_that_are_many_but_not_nested_are_read(part: str) -> None:
    found = digest(raw(ENGLISH, f"<html><body><main><p>{GERMAN}</p>{part * 1500}</main></body></html>"), HostProfile())
    assert found.extraction == "main"
    assert GERMAN in text_of(found)


def test_of_a_page_that_is_too_long_only_the_beginning_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_content, "MAX_HTML_CHARACTERS", 2000)
    monkeypatch.setattr(main_content, "MAX_TEXT_CHARACTERS", 300)
    body = "<html><body><main>" + "<p>many words in a row</p>" * 500 + "<p>the end</p></main></body></html>"
    assert len(text_of(digest(raw("", body), HostProfile()))) == 300
    assert len(text_of(digest(raw("a long text " * 100), HostProfile()))) == 300


@given(st.text(alphabet=st.sampled_from("<>/ab d!-=\"'&;\n\0é"), max_size=200), st.text(max_size=50))
def test_any_body_and_any_text_give_a_digest(body: str, text: str) -> None:
    found = digest(raw(text, body), HostProfile())
    assert (found.page, found.key) == (3, 9)
    assert len(found.signature) == 256


def test_a_page_that_brought_the_extraction_down_has_its_visible_text() -> None:
    found = digest_of_visible_text(raw(ENGLISH, page_of(GERMAN), language="en-GB"))
    assert (found.extraction, text_of(found), found.language) == ("failed", ENGLISH, "en")


# --- without bodies: what a host has in common ----------------------------------------------------


def templates(pages: int, *, with_menu: int | None = None) -> list[str]:
    menu = pages if with_menu is None else with_menu
    return [
        ("Home\nAbout us\n" if number < menu else "") + f"What only page {number} says\nContact"
        for number in range(pages)
    ]


def test_blocks_that_many_pages_of_a_host_share_are_left_out() -> None:
    profile = host_profile(templates(20))
    found = digest(raw(templates(20)[3] + f"\n{ENGLISH}"), profile)
    assert profile.common_blocks == {"Home", "About us", "Contact"}
    assert (found.extraction, text_of(found)) == ("blocks", f"What only page 3 says\n{ENGLISH}")


def test_a_host_of_few_pages_has_no_templates() -> None:
    assert host_profile(templates(7)).common_blocks == frozenset()
    assert "Home" in host_profile(templates(8)).common_blocks


def test_a_block_that_fewer_than_a_quarter_of_the_pages_have_is_content() -> None:
    assert "Home" not in host_profile(templates(100, with_menu=24)).common_blocks
    assert "Home" in host_profile(templates(100, with_menu=25)).common_blocks


def test_a_block_counts_once_a_page_and_long_ones_are_content() -> None:
    assert host_profile(["again\n" * 50]).common_blocks == frozenset()
    assert host_profile([ENGLISH * 3] * 20).common_blocks == frozenset()


def test_space_in_blocks_does_not_matter() -> None:
    assert without_blocks("  Home \n\n Ferry   timetable\n", frozenset({"Home"})) == "Ferry timetable"


def test_a_page_that_is_all_template_keeps_its_visible_text() -> None:
    text = "\n".join(f"Shared line number {number}" for number in range(10))
    found = digest(raw(text), host_profile([text] * 20))
    assert (found.extraction, text_of(found)) == ("all", text)


def test_a_page_of_no_text_at_all_is_empty() -> None:
    found = digest(raw(None), HostProfile())
    assert (found.extraction, text_of(found)) == ("all", "")


# --- languages ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declared, tag",
    [
        ("en", "en"), ("en-US", "en"), ("PT_br", "pt"), (" de ", "de"), ("gsw", "gsw"), ("", ""), ("e", ""),
        ("english", ""), ("zh-Hans-CN", "zh"), ("12", ""), ("ёж", ""), ("-", ""), ("en'; --", ""),
    ],
)  # fmt: skip
def test_a_declared_language_is_known_by_its_primary_tag(declared: str, tag: str) -> None:
    assert primary_tag(declared) == tag


def test_a_declared_language_is_believed() -> None:
    profile = host_profile([ENGLISH * 3] * 10)
    assert digest(raw(GERMAN * 5, language="sv"), profile).language == "sv"


def test_a_page_that_declares_none_has_the_likeliest_of_its_hosts_languages() -> None:
    both = host_profile([ENGLISH * 3] * 12 + [GERMAN * 3] * 8)
    assert both.languages == ("en", "de")
    assert digest(raw(GERMAN * 5), both).language == "de"
    assert digest(raw(ENGLISH * 5), both).language == "en"


def test_on_a_host_of_one_language_every_page_has_it() -> None:
    assert digest(raw(GERMAN * 5), host_profile([ENGLISH * 3] * 12)).language == "en"


def test_a_language_of_less_than_a_tenth_of_the_pages_is_an_error_of_detection() -> None:
    assert host_profile([ENGLISH * 3] * 19 + [GERMAN * 3]).languages == ("en",)


def test_a_page_of_a_host_without_a_profile_has_no_language() -> None:
    assert digest(raw(ENGLISH * 5), HostProfile()).language == ""
