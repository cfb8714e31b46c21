"""Names of code and options of commands as they are spelt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hinterland.search.store.indexed_text import IndexedText, _spelt
from hinterland.search.store.values.spellings import defined_spellings, spelling_of, spellings


@pytest.mark.parametrize(
    "text, found",
    [
        ("call asyncio.gather(*aws, return_exceptions=False).", ["asyncio.gather", "return_exceptions"]),
        ("the method __init__ of _Private", ["__init__", "_private"]),
        ("std::vector, Foo#bar, self->name", ["std.vector", "foo.bar", "self.name"]),
        ("django.db.models.Field", ["django.db.models.field", "db.models.field", "models.field"]),
        ("git commit [-a | --all] --amend, -m 'text'", ["-a", "--all", "--amend", "-m"]),
        ("a well-known ferry, from 9.30 to 10.15 - or -5", []),
        ("An end.", []),
        ("~/.bashrc, .travis.yml and *.py", [".bashrc", ".travis.yml", "travis.yml", ".py"]),
        ("and so on...until f(x).end or a[0].end; .NET, .net8; .5", []),
        ("_ __ ___", []),
        ("été.chaud", ["été.chaud"]),
        ("e\u0301te\u0301.chaud", ["été.chaud"]),
    ],
)
def test_the_names_in_a_text_are_found_with_all_their_endings(text: str, found: list[str]) -> None:
    assert list(dict.fromkeys(spellings(text))) == found


def test_a_name_that_is_defined_may_be_asked_for_by_its_last_part_alone() -> None:
    assert list(defined_spellings("asyncio.Task.cancel")) == ["asyncio.task.cancel", "task.cancel", "cancel"]
    assert list(defined_spellings("--amend")) == ["--amend"]
    assert list(defined_spellings(".htaccess")) == [".htaccess", "htaccess"]
    assert list(defined_spellings("two words")) == []


@pytest.mark.parametrize(
    "word, spelling",
    [
        ("asyncio.gather", "asyncio.gather"),
        ("dict.get()", "dict.get"),
        ("print(", "print"),
        ("std::vector<int>", "std.vector"),
        ("__init__", "__init__"),
        ("`foo_bar`,", "foo_bar"),
        ("--amend", "--amend"),
        ("-m", "-m"),
        ("node.js", "node.js"),
        ("ForeignKey", "foreignkey"),
        ("`.htaccess`,", ".htaccess"),
        (".travis.yml", ".travis.yml"),
        *((word, "") for word in ("ferry", "FERRY", "Ferry.", "C++", "3.11.2", "well-known", "__", "a.b/page", "(a")),
        *((word, "") for word in (".NET", ".net8", "...and", ".5", "v2.0-rc1", "C#10")),
    ],
)
def test_a_word_of_a_query_is_a_name_if_words_are_not_written_so(word: str, spelling: str) -> None:
    assert spelling_of(word) == spelling


@given(st.text(st.sampled_from("ab_.:->#( -\n"), max_size=60))
@example(".".join("a" * 50_000))
@example("_" * 100_000)
@example("a_b " * 50_000)
def test_what_is_asked_for_as_it_is_written_is_found(text: str) -> None:
    found = list(spellings(text))
    assert all(0 < len(each) <= 100 and not set(each) & set(" \n") for each in found)
    assert len(found) <= 8 * max(len(text), 1)
    for word in text.split():
        if (spelling := spelling_of(word)) and word.replace("_", "").isalpha() and "_" in word:
            assert spelling in found


def test_the_names_of_a_text_are_the_same_whether_its_words_are_at_hand_or_not() -> None:
    body = "call asyncio.gather\nand e\u0301te\u0301.chaud, asyncio.gather again with --amend"
    text = IndexedText(1, 1, "en", 0.0, "http://a.test/", "http://a.test", "a.test", [("body", body, 1)])
    split = replace(text, words=[("body", dict.fromkeys(body.split()))])
    assert _spelt(split) == _spelt(text)
    assert len(_spelt(split)) >= 3
