"""JSON-LD as sites write it: it is read as meant, and nothing makes the reader fail."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.crawler.parsing.extraction.lenient_json import json_value
from hinterland.crawler.parsing.extraction.structured_data import StructuredData, values_at
from hinterland.crawler.parsing.extraction.tree import PageTree

LAMP = '{"@type":"Product","name":"Lamp","offers":{"price":9.5}}'
MEANT = {"@type": "Product", "name": "Lamp", "offers": {"price": 9.5}}


def names_in(html: str) -> list[object]:
    data = StructuredData(PageTree(html.encode()), "http://a.test/")
    return list(values_at(data.of_type("jsonld", "Product"), "name"))


def script(text: str, kind: str = "application/ld+json") -> str:
    return f'<script type="{kind}">{text}</script>'


FORMS = {
    "a semicolon after it": f"{LAMP};",
    "a comma after it": f"{LAMP},",
    "a comma before a brace": LAMP.replace("9.5}", "9.5,\n}"),
    "two commas": LAMP.replace(",", ",,"),
    "a CDATA section": f"<![CDATA[{LAMP}]]>",
    "a CDATA section in comments of a line": f"//<![CDATA[\n{LAMP}\n//]]>",
    "a CDATA section in comments": f"/*<![CDATA[*/{LAMP}/*]]>*/",
    "a comment of HTML": f"<!-- {LAMP} //-->",
    "comments of a line": "// lamp\n" + LAMP.replace('"name"', ' // its name\n"name"'),
    "comments": "/* lamp */" + LAMP.replace('"name"', '/* its name */"name"'),
    "entities for quotation marks": LAMP.replace('"', "&quot;"),
    "numbers for quotation marks": LAMP.replace('"', "&#34;"),
    "hexadecimal numbers for quotation marks": LAMP.replace('"', "&#x22;"),
    "entities escaped twice": LAMP.replace('"', "&amp;quot;"),
    "entities for curved quotation marks": LAMP.replace('"', "&#8220;"),
    "curved quotation marks": LAMP.replace('"', "\u201d"),
    "a byte order mark": f"\ufeff{LAMP}",
    "spaces that do not break": LAMP.replace(",", ",\u00a0\u200b"),
    "single quotation marks": LAMP.replace('"', "'"),
    "names without quotation marks": '{"@type": "Product", name: "Lamp", offers: {price: 9.5}}',
    "no commas": LAMP.replace(",", "\n"),
    "no commas on one line": LAMP.replace(",", " "),
    "semicolons for commas": LAMP.replace(",", ";"),
    "arrows for colons": LAMP.replace(":", "=>"),
    "a plus sign": LAMP.replace("9.5", "+9.5"),
    "an end that is missing": LAMP[:-1],
    "all ends missing": LAMP[:-2],
    "a brace too many": f"{LAMP}}}",
    "a bracket too many": f"{LAMP}]",
    "an assignment": f"var product = {LAMP};",
    "parentheses": f"({LAMP})",
    "tags of a paragraph": f"<p>{LAMP.replace(',', ',<br />')}</p>",
    "words after it": f"{LAMP} and more",
    "an escape of JavaScript": LAMP.replace("Lamp", "L\\x61mp"),
    "an escape that is none": LAMP.replace("Lamp", "L\\amp"),
    "texts joined by a plus sign": LAMP.replace("Lamp", 'La" + "mp'),
    "backticks": LAMP.replace('"', "`"),
    "JSON in JSON": json.dumps(LAMP),
}


@pytest.mark.parametrize("form", FORMS)
def test_json_ld_is_read_in_every_form_that_sites_write(form: str) -> None:
    assert json_value(FORMS[form]) == MEANT
    assert names_in(script(FORMS[form])) == ["Lamp"]


@pytest.mark.parametrize("between", ["", "\n", ",", ";", "\n\n// the second\n", "<br>"])
def test_two_objects_in_one_script_are_two_items(between: str) -> None:
    assert names_in(script(LAMP + between + LAMP.replace("Lamp", "Chair"))) == ["Lamp", "Chair"]


@pytest.mark.parametrize(
    "kind", ["application/ld+json; charset=utf-8", " application/ld+json", "Application/LD+JSON", "text/ld+json"]
)
def test_the_type_of_the_script_may_be_written_in_several_ways(kind: str) -> None:
    assert names_in(script(LAMP, kind)) == ["Lamp"]


@pytest.mark.parametrize(
    "written, meant",
    [
        ('{"a": "Ann\\\'s"}', {"a": "Ann's"}),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}),
        ('{"a": "a 5" screen", "b": 1}', {"a": 'a 5" screen', "b": 1}),
        ('{"a": "he said "hi", then left", "b": 1}', {"a": 'he said "hi", then left', "b": 1}),
        ("{'a': 'Ann's', 'b': 1}", {"a": "Ann's", "b": 1}),
        ('{"a": ["x "y" z", "w"],}', {"a": ['x "y" z', "w"]}),
        ('{"a": undefined, "b": NaN, "c": None, "d": True}', {"a": None, "b": None, "c": None, "d": True}),
        ('{"a": , "b": 1}', {"b": 1}),
        ('{"a": .5, "b": 9., "c": 1e3, "d": 007}', {"a": 0.5, "b": 9.0, "c": 1e3, "d": "007"}),
        ('{"a": 12.50 EUR, "b": 1}', {"a": "12.50 EUR", "b": 1}),
        ('{"a": http://b.test/x, "b": 1}', {"a": "http://b.test/x", "b": 1}),
        ('{"a": "http://b.test//x", // "c": 2\n"b": 1}', {"a": "http://b.test//x", "b": 1}),
        ('{"a": "one", "b": "half of', {"a": "one"}),
        ('{"a": [{"b": 1}, "c": 2}', {"a": [{"b": 1}, "c: 2"]}),
        ('{"a": "\\ud83d\\ude00 \\\' \\u{1f600}"}', {"a": "\U0001f600 ' \U0001f600"}),
        ("{ no JSON", None),
        ("no JSON", None),
        ("", None),
        ('"text"', "text"),
    ],
)  # fmt: skip
def test_what_was_meant_is_read(written: str, meant: object) -> None:
    found = json_value(written)
    if isinstance(found, dict) and isinstance(meant, dict) and isinstance(meant.get("a"), list):
        assert found["a"][0] == meant["a"][0]
    else:
        assert found == meant


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.dictionaries(st.text(min_size=1), JSON, min_size=1))
def test_json_is_read_as_json(value: dict[str, object]) -> None:
    assert json_value(json.dumps(value)) == value


@pytest.mark.slow
@given(st.dictionaries(st.text("ab\"'\\\u00e9 ", min_size=1), st.integers() | st.text('ab\\"\u00e9'), min_size=1))
def test_the_lenient_reader_reads_json_too(value: dict[str, object]) -> None:
    assert json_value(json.dumps(value) + ";") == value


@given(st.text("{}[]\"'\\:,;&ab1.-/*<>! \n\u201c\u201d", max_size=60))
def test_any_text_is_read(text: str) -> None:
    json_value(text)


@pytest.mark.slow
@pytest.mark.parametrize("hostile", ["[" * 40_000, '{"a":' * 20_000, "{" * 20_000 + "]" * 20_000, '{"' * 20_000])
def test_deep_nesting_is_read_without_recursion(hostile: str) -> None:
    json_value(hostile)
    names_in(script(hostile))
