"""Rules in TOML: what they may say, and how mistakes in them are reported."""

from __future__ import annotations

import pytest

from hinterland.crawler.parsing.extraction.rule_file import ExtractionRulesError, read_rules
from hinterland.crawler.parsing.extraction.rules import FieldRule, RuleSet, Source, TableRules, UrlPatterns, rule_set

PAGES = 'pages = "https://shop.example/item/**"\n'


def table(fields: str, head: str = "") -> str:
    return f"[product]\n{PAGES}{head}\n[product.fields]\n{fields}\n"


def complaint(text: str) -> str:
    with pytest.raises(ExtractionRulesError) as raised:
        read_rules(text, "shop.toml")
    return str(raised.value)


def test_a_selector_is_short_for_a_source() -> None:
    assert read_rules(table('name = "h1"'), "") == read_rules(table('name = { css = "h1" }'), "")


def test_a_field_may_have_several_sources_that_share_their_type() -> None:
    rules = read_rules(table('price = [ { jsonld = "offers.price", type = "number" }, ".price" ]'), "")
    [field] = rules.tables[0].fields
    assert field == FieldRule("price", [Source("jsonld", "offers.price"), Source("css", ".price")], "number")


def test_an_attribute_without_a_selector_belongs_to_the_element_of_the_record() -> None:
    rules = read_rules(table('number = { attribute = "ID" }', 'each = "div.item"'), "")
    assert rules.tables[0].fields[0].sources == [Source("css", ":scope", "id")]


def test_rules_come_out_of_their_encoded_form_as_they_went_in() -> None:
    rules = read_rules(table('name = { css = "h1", regex = "(a)", required = true, list = true }', 'each = "b"'), "")
    assert rule_set(rules.encoded()) == rules
    assert isinstance(rules, RuleSet)


@pytest.mark.parametrize(
    "pattern, url, matches",
    [
        ("https://a.test/item/*", "https://a.test/item/1", True),
        ("https://a.test/item/*", "https://a.test/item/1/reviews", False),
        ("https://a.test/item/*", "https://a.test/item/1?page=2", False),
        ("https://a.test/item/**", "https://a.test/item/1/reviews?page=2", True),
        ("https://a.test/item/**", "http://a.test/item/1", False),
        ("**/item.html?n=*", "https://a.test/x/item.html?n=7", True),
        ("https://*.test/", "https://b.test/", True),
        ("https://a.test/x.html", "https://a.test/xxhtml", False),
    ],
)
def test_patterns_are_of_whole_urls(pattern: str, url: str, matches: bool) -> None:
    assert UrlPatterns(TableRules("t", [pattern], [])).match(url) is matches


def test_pages_can_be_left_out() -> None:
    patterns = UrlPatterns(TableRules("t", ["https://a.test/**"], [], ["https://a.test/all", "**/print"]))
    assert [patterns.match(f"https://a.test/{path}") for path in ("1", "all", "2/print")] == [True, False, False]


@pytest.mark.parametrize(
    "text, named",
    [
        ("[product", ("is not TOML",)),
        ("", ("has no rules", "[product]")),
        ("product = 1", ("product", "a table [product]")),
        ("[Product]\n" + PAGES, ("Product", "small letters")),
        ('[product]\n[product.fields]\nname = "h1"', ("pages is missing", 'pages = "https://')),
        ("[product]\n" + PAGES, ("has no fields", "[product.fields]")),
        ('[product]\npages = "shop.example"\n[product.fields]\nname = "h1"', ("product.pages", "whole URLs", "**")),
        (table('name = "h1"', 'not_page = "https://x/"'), ("product.not_page", 'nearest is "not_pages"')),
        (table('name = { css = "h1", tipe = "text" }'), ("product.fields.name.tipe", 'nearest is "type"')),
        (table('name = { css = "h1", type = "int" }'), ("product.fields.name.type", 'nearest is "integer"')),
        (table('name = { css = "h1", list = 1 }'), ("product.fields.name.list", "true or false")),
        (table("name = 1"), ("product.fields.name", "expected a selector")),
        (table("name = []"), ("product.fields.name", "empty")),
        (table('name = { css = "h1", meta = "x" }'), ("exactly one of", "css and meta")),
        (table('name = { type = "text" }'), ("exactly one of", "none")),
        (table('name = { css = "h1:" }'), ("product.fields.name.css", "'h1:'", "not valid CSS")),
        (table('name = "h1::text"'), ("drop ::text",)),
        (table('name = "//h1"'), ("XPath",)),
        (table("name = 'p:contains(\"x\")'"), (":lexbor-contains",)),
        (table('name = ""'), ("it is empty",)),
        (table('name = ":scope"'), ("this table has no such `each`",)),
        (table('name = { css = "h1", regex = "(" }'), ("product.fields.name.regex", "'('")),
        (table('name = { meta = "x", attribute = "y" }'), ("write attribute together with css, not with meta",)),
        (table('name = { css = "h1", item = "Product" }'), ("use it with jsonld or microdata, not with css",)),
        (table('name = { url = "x" }'), ("url = true",)),
        (table('name = { css = "h1", decimal = ";" }'), ("decimal", "';'")),
        (table('name = { css = "h1", format = "%d" }'), ("product.fields.name.format", "date")),
        (table('name = { meta = "x", type = "html" }'), ("select the element by css, and leave out attribute",)),
        (table('name = [ "h1", { css = "h2", type = "date" }, { css = "h3", type = "url" } ]'), ("another source",)),
        (table('url = "h1"'), ("every table has a column url",)),
        (table('nAme = "h1"'), ("product.fields.nAme", "small letters")),
        (table('name = "h1"', "each = 1"), ("product.each", "each match becomes one record")),
        (table('name = "h1"', 'each = { jsonld = "Product" }'), ("no elements to search",)),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_way_out(text: str, named: tuple[str, ...]) -> None:
    said = complaint(text)
    assert said.startswith("shop.toml")
    for each in named:
        assert each in said
