"""What rules find in a page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hinterland.crawler.parsing.extraction import extractor as module
from hinterland.crawler.parsing.extraction.extracted import Extracted
from hinterland.crawler.parsing.extraction.extractor import Extractor
from hinterland.crawler.parsing.extraction.rule_file import read_rules

URL = "https://shop.example/item/17"

SHOP = """<!doctype html><base href="/shop/"><title>Shop</title>
<meta property="og:site_name" content="The Shop"><meta name="Keywords" content="a, b">
<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
  {"@type": "https://schema.org/Product", "name": "Lamp", "sku": 17, "inStock": true,
   "offers": [{"@type": "Offer", "price": "9.50"}, {"@type": "Offer", "price": 12}]},
  {"@type": ["Product", "Thing"], "name": "Chair"}]}</script>
<script type="application/ld+json">{ not JSON</script>
<div class="item" id="a"><h2>One <b>bright</b>er lamp</h2><p class="price">Now $ 1,234.50</p><a href="x y">more</a>
  <ul><li>red<li>green</ul><script>"not shown"</script></div>
<div class="item" id="b"><h2>Chair</h2><p class="price">sold out</p><a href="https://other.example/">more</a></div>
<div class="item" id="c"></div>"""

BOOK = """<section itemscope itemtype="http://schema.org/Book" itemref="more">
<h1 itemprop="name">On  Walking</h1>
<div itemprop="author" itemscope itemtype="http://schema.org/Person"><a itemprop="url" href="/ann">Ann</a>
  <span itemprop="name">Ann</span></div>
<div itemprop="author" itemscope><span itemprop="name">Bob</span></div>
<time itemprop="datePublished" datetime="2021-03-04">last spring</time><meta itemprop="isbn" content="978">
<data itemprop="pages" value="320">some</data><img itemprop="image cover" src="/c.png">
</section><p id="more"><span itemprop="publisher">Press</span></p>"""


def extracted(rules: str, html: str = SHOP, url: str = URL) -> list[Extracted]:
    return Extractor(read_rules(rules, "rules.toml")).extract(html.encode(), url)


def records(fields: str, html: str = SHOP, head: str = "") -> list[dict[str, Any]]:
    rules = f'[t]\npages = "https://shop.example/**"\n{head}\n[t.fields]\n{fields}'
    [found] = extracted(rules, html)
    return [json.loads(record) for record in found.records]


def value(field: str, html: str = SHOP) -> Any:
    """Return the value of a field v; None if it has none."""
    found = records(f"v = {field}", html)
    return found[0]["v"] if found else None


def test_the_text_of_the_first_element_is_what_people_see() -> None:
    assert value('".item h2"') == "One brighter lamp"
    assert value('".item"') == "One brighter lamp Now $ 1,234.50 more red green"


PRE = "<pre>SELECT a\n    FROM b\n\n  WHERE c</pre>"
LINES = "SELECT a\n    FROM b\n\n  WHERE c"


@pytest.mark.parametrize(
    "selector, html, text",
    [
        ("pre", PRE, LINES),
        ("pre", "<pre>\n  one\n    two\n\n</pre>", "  one\n    two"),
        ("pre", "<pre>one\r\ntwo  \r\n</pre>", "one\ntwo"),
        ("pre", "<pre>one<br>  two</pre>", "one\n  two"),
        ("pre", "<pre><code><span>one</span>\n<b>  two</b> <i>x</i></code></pre>", "one\n  two x"),
        ("pre", "<pre><div>one</div><div>  two</div></pre>", "one\n  two"),
        ("pre", "<pre><div>one\n</div><div>  two\n</div></pre>", "one\n  two"),
        ("pre code", "<pre><code>one\n  two</code></pre>", "one\n  two"),
        ("pre code", "<pre><code>one\n  <b>two</b></code></pre>", "one\n  two"),
        ("textarea", "<textarea>one\n  two</textarea>", "one\n  two"),
        ("xmp", "<xmp>one\n  <b></xmp>", "one\n  <b>"),
        ("div", f"<div><p>Write\n this: {PRE}<p>and\n that</div>", f"Write this:\n{LINES}\nand that"),
        ("div", f"<div>{PRE}{PRE}</div>", f"{LINES}\n{LINES}"),
        ("div", "<div>say <pre>one</pre> and\n <pre> two </pre> more</div>", "say one and two more"),
        ("div", "<div><pre>\n\n</pre> one\n two<pre></pre></div>", "one two"),
        ("p", "<p>one\n two", "one two"),
        ("p", "<p>one\n <b>two</b>", "one two"),
        ("code", "<p><code>one\n  two</code>", "one two"),
    ],
)
def test_a_pre_keeps_its_lines(selector: str, html: str, text: str) -> None:
    assert value(f'"{selector}"', html) == text


def test_attributes_urls_and_html_are_taken_as_asked() -> None:
    assert value('{ css = ".item a", attribute = "href" }') == "x y"
    assert value('{ css = ".item a", attribute = "href", type = "url" }') == "https://shop.example/shop/x%20y"
    assert value('{ css = ".price", type = "html" }') == '<p class="price">Now $ 1,234.50</p>'


def test_a_regular_expression_takes_its_group_or_all_it_matches_and_else_nothing() -> None:
    assert value('{ css = ".price", regex = "[0-9.,]+" }') == "1,234.50"
    assert value('{ css = ".price", regex = "Now (.)" }') == "$"
    assert value('{ css = ".price", regex = "sold" }') == "sold"  # the next element that has it
    assert value('{ css = ".price", regex = "never" }') is None
    assert value('{ url = true, regex = "item/([0-9]+)", type = "integer" }') == 17


def test_lists_have_every_value_in_the_order_of_the_page() -> None:
    assert value('{ css = "li", list = true }') == ["red", "green"]
    assert value('{ css = ".price", type = "number", list = true }') == [1234.5]


def test_meta_elements_are_known_by_name_and_by_property() -> None:
    assert value('{ meta = "og:site_name" }') == "The Shop"
    assert value('{ meta = "keywords" }') == "a, b"


def test_json_ld_is_found_by_type_and_path_wherever_it_stands() -> None:
    assert value('{ jsonld = "name", item = "Product", list = true }') == ["Lamp", "Chair"]
    assert value('{ jsonld = "offers.price", type = "number", list = true }') == [9.5, 12.0]
    assert value('{ jsonld = "price", item = "Offer", type = "integer" }') == 12  # 9.50 is not an integer
    assert value('{ jsonld = "inStock", type = "boolean" }') is True
    assert value('{ jsonld = "offers", item = "Product" }') is None
    assert value('{ jsonld = "name", item = "Book" }') is None


@pytest.mark.parametrize(
    "text, number",
    [
        ("-$100", -100.0), ("\u2212$1,234.50", -1234.5), ("-US$ 100", -100.0), ("-\u20ac100", -100.0),
        ("-EUR 100", -100.0), ("-R$100", -100.0), ("-kr 100", -100.0), ("-Rs. 100", -100.0),
        ("\u2013$100", -100.0), ("\u2013100", -100.0),
        ("Refund: -\u00a3100", -100.0), ("$-100", -100.0), ("-100 $", -100.0), ("-\u20b91,00,000", -100000.0),
        ("$50-$100", 50.0), ("Sale-$100", 100.0), ("Price - $100", 100.0), ("10\u201320", 10.0), ("($5) -$3", 5.0),
        ("$100", 100.0), ("A - 5", 5.0), ("x\u20135", 5.0),
    ],
)  # fmt: skip
def test_a_minus_sign_may_stand_before_a_currency(text: str, number: float) -> None:
    assert value('{ css = "p", type = "number" }', f"<p>{text}") == number
    json_ld = f'<script type="application/ld+json">{{"price": "{text}"}}</script>'
    assert value('{ jsonld = "price", type = "number" }', json_ld) == number
    assert value('{ css = "p", type = "integer" }', f"<p>{text}") == (int(number) if number.is_integer() else None)


def test_hostile_json_ld_is_no_harm() -> None:
    def found(json_ld: str) -> Any:
        return value('{ jsonld = "v" }', f'<script type="application/ld+json">{json_ld}</script>')

    assert found('{"v": "a\\ud800b"}') == "a?b"
    assert found('{"v": ' + "9" * 5000 + "}") is None
    assert found("[" * 100_000) is None
    assert found('{"a":' * 500 + '{"v": 1}' + "}" * 500) is None  # deeper than anything real
    assert found('{"v": [null, {}, {"@value": "x"}]}') == "x"
    assert found("<!-- " + '{"v": "commented"}' + " -->") == "commented"


def test_microdata_is_read_as_the_standard_has_it() -> None:
    def found(path: str, more: str = ', item = "Book"') -> Any:
        return value(f'{{ microdata = "{path}"{more} }}', BOOK)

    assert found("name") == "On Walking"
    assert found("author.name", ', item = "Book", list = true') == ["Ann", "Bob"]
    assert found("author.url") == "https://shop.example/ann"
    assert found("datePublished", ', type = "date"') == "2021-03-04"
    assert (found("isbn"), found("pages"), found("publisher")) == ("978", "320", "Press")
    assert found("image") == found("cover") == "https://shop.example/c.png"
    assert found("name", ', item = "Person"') == "Ann"


def test_microdata_that_refers_to_itself_ends() -> None:
    html = '<div itemscope id="a" itemref="a b"><i itemprop="x" itemscope itemref="a">1</i></div><b id="b">y</b>'
    assert value('{ microdata = "x.x.x" }', html) is None


def test_each_element_with_a_value_gives_one_record() -> None:
    fields = 'name = "h2"\nid = { attribute = "id" }\nprice = { css = ".price", type = "number" }'
    assert records(fields, head='each = "div.item"') == [
        {"name": "One brighter lamp", "id": "a", "price": 1234.5},
        {"name": "Chair", "id": "b"},
        {"id": "c"},
    ]


def test_a_record_without_a_required_field_is_dropped() -> None:
    fields = 'name = { css = "h2", required = true }\nid = { attribute = "id" }'
    assert [record["id"] for record in records(fields, head='each = "div.item"')] == ["a", "b"]


def test_each_item_gives_one_record() -> None:
    fields = 'name = { jsonld = "name" }\nprice = { jsonld = "offers.price", type = "number" }'
    head = 'each = { jsonld = "Product" }'
    assert records(fields, head=head) == [{"name": "Lamp", "price": 9.5}, {"name": "Chair"}]


def test_the_first_source_with_a_value_gives_it() -> None:
    assert value('[ ".nothing", { meta = "og:site_name" }, "title" ]') == "The Shop"


def test_fields_without_a_value_in_any_record_are_named() -> None:
    rules = '[t]\npages = "https://shop.example/**"\neach = "div.item"\n[t.fields]\nname = "h2"\nnone = ".no"'
    [found] = extracted(rules)
    assert (len(found.records), found.missing, found.problem) == (2, ["none"], "")
    [found] = extracted(rules, "<p>")
    assert (found.records, found.missing) == ([], ["name", "none"])


def test_only_tables_whose_pattern_fits_look_at_a_page() -> None:
    rules = (
        '[a]\npages = "https://shop.example/item/*"\n[a.fields]\nt = "title"\n'
        '[b]\npages = "https://shop.example/list"\n[b.fields]\nt = "title"'
    )
    assert [found.table for found in extracted(rules)] == ["a"]
    assert extracted(rules, url="https://other.example/") == []


@pytest.mark.parametrize(
    "kind, text, expected",
    [
        ("integer", "1,234 items", 1234),
        ("integer", "3.5", None),
        ("integer", "9" * 30, None),
        ("number", "-3.5e2", -350.0),
        ("number", "1.2.3", None),
        ("number", ".5", 0.5),
        ("number", "none", None),
        ("boolean", "Yes", True),
        ("boolean", "0", False),
        ("boolean", "maybe", None),
        ("date", "2024-02-29T10:00:00Z", "2024-02-29"),
        ("date", "2023-02-29", None),
        ("date", "Tue, 05 Mar 2024 10:00:00 GMT", "2024-03-05"),
        ("datetime", "2024-02-29T10:00:00+01:00", "2024-02-29T10:00:00+01:00"),
        ("datetime", "yesterday", None),
        ("url", "../a?b", "https://shop.example/a?b"),
        ("text", "  a\n b ", "a b"),
    ],
)
def test_texts_become_values_of_their_type_or_none(kind: str, text: str, expected: object) -> None:
    assert value(f'{{ css = "p", type = "{kind}" }}', f"<p>{text}</p>") == expected


def test_numbers_and_dates_of_other_countries_are_read_as_the_rule_says() -> None:
    assert value('{ css = "p", type = "number", decimal = "," }', "<p>1.234,50 €") == 1234.5
    assert value('{ css = "p", type = "number", decimal = "," }', "<p>1\u00a0234,50 €") == 1234.5
    assert value('{ css = "p", type = "date", format = "%d.%m.%Y" }', "<p>29.02.2024") == "2024-02-29"


def test_a_page_of_very_many_records_keeps_the_first_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RECORDS", 3)
    [found] = extracted('[t]\npages = "https://**"\neach = "p"\n[t.fields]\nn = ":scope"', "<p>x" * 5)
    assert len(found.records) == 3
    assert "more than 3 records" in found.problem


def test_deep_trees_are_read_without_recursion() -> None:
    assert value('"div"', "<div>" * 3000 + "deep") == "deep"
