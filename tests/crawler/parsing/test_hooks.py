"""Hooks in the parser processes: what they give, and what it costs when they misbehave."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from hinterland.crawler.parsing.extraction.extracted import Extracted
from hinterland.crawler.parsing.extraction.extractor import Extractor
from hinterland.crawler.parsing.extraction.hooks import Hook, hook_rules
from hinterland.crawler.parsing.extraction.rule_file import ExtractionRulesError, read_rules
from hinterland.crawler.parsing.extraction.rules import RuleSet
from hinterland.crawler.parsing.messages import PageDigest, RawPage
from hinterland.crawler.parsing.pool.parsers import ParserPool
from tests.crawler.parsing.test_parse_worker import config
from tests.support import hooks_that_misbehave
from tests.support.hooks_that_misbehave import HOOKS

SOURCE = str(Path(hooks_that_misbehave.__file__).absolute())
HTML = b"<title>T</title><body>three words here <a href='/b'>b</a>"


def extracted(hook: Hook) -> Extracted:
    [found] = Extractor(RuleSet([hook_rules("t", hook)]), {"t": hook}).extract(HTML, "http://a.test/")
    return found


def hook_giving(found: Any, **fields: Any) -> Hook:
    return Hook(pages="**", fields=fields or {"v": "text"}, read=lambda page: found)


def test_a_hook_gives_one_record_several_or_none() -> None:
    assert extracted(hook_giving({"v": "a"})).records == ['{"v":"a"}']
    assert extracted(hook_giving([{"v": "a"}, {"v": None}, {"v": "b"}])).records == ['{"v":"a"}', "{}", '{"v":"b"}']
    assert extracted(hook_giving(None)) == Extracted("t", [], ["v"])


def test_a_hook_sees_the_page_as_rules_do() -> None:
    def read(page: Any) -> dict[str, object]:
        link = page.first("a")
        return {"url": page.url, "text": page.text(), "link": link.attributes["href"], "n": len(page.all("a"))}

    types = {"url": "text", "text": "text", "link": "url", "n": "integer"}
    with pytest.raises(ExtractionRulesError, match="a column url of its own"):
        hook_rules("t", Hook("**", types, read))
    hook = Hook("**", {name: kind for name, kind in types.items() if name != "url"}, read)
    assert "there is no field 'url'" in extracted(hook).problem
    hook = Hook("**", {**hook.fields}, lambda page: {k: v for k, v in read(page).items() if k != "url"})
    assert json.loads(extracted(hook).records[0]) == {"text": "three words here b", "link": "/b", "n": 1}


def test_values_are_of_the_types_that_were_said() -> None:
    moment = datetime(2024, 2, 29, 10, tzinfo=UTC)
    fields: dict[str, Any] = {"n": "number", "d": "date", "m": "datetime", "b": "boolean", "l": ["integer"]}
    found = extracted(hook_giving({"n": 1, "d": date(2024, 2, 29), "m": moment, "b": True, "l": (1, 2)}, **fields))
    assert json.loads(found.records[0]) == {
        "n": 1.0, "d": "2024-02-29", "m": "2024-02-29T10:00:00+00:00", "b": True, "l": [1, 2],
    }  # fmt: skip
    wrong: list[tuple[str, object]] = [("n", "1"), ("n", float("nan")), ("b", 1), ("l", 1), ("l", [True])]
    for name, value in [*wrong, ("d", "soon")]:
        assert extracted(hook_giving({name: value}, **fields)).problem, (name, value)


@pytest.mark.parametrize("found", ["text", 7, [7], b"x"])
def test_what_is_no_record_is_reported(found: object) -> None:
    assert "a hook must return dicts" in extracted(hook_giving(found)).problem


@pytest.mark.parametrize(
    "hook, said",
    [
        (hook_giving(None, v="int"), "not 'int'"),
        (hook_giving(None, V="text"), "small letters"),
        (Hook([], {"v": "text"}, lambda page: None), "pages is empty"),
        (Hook("shop.test", {"v": "text"}, lambda page: None), "whole URLs"),
        (Hook("**", {}, lambda page: None), "it has no fields"),
    ],
)
def test_an_impossible_hook_is_reported_before_anything_begins(hook: Hook, said: str) -> None:
    with pytest.raises(ExtractionRulesError, match=said):
        hook_rules("t", hook)


@pytest.mark.slow
def test_hooks_cost_the_records_of_one_page_each_whatever_they_do(capfd: pytest.CaptureFixture[str]) -> None:
    names = [
        *("good", "hang", "leak", "raise", "print", "write", "exit", "leave", "die", "wrong", "unknown"),
        *(f"{number}/leak-a-little" for number in range(3)),
        "last",
    ]

    async def parse() -> list[PageDigest]:
        rules = RuleSet([hook_rules("count", HOOKS["count"])])
        settings = config(rules=rules.encoded(), hooks=[SOURCE], max_memory_bytes=384 << 20)
        async with ParserPool(settings, processes=2, timeout_seconds=1.0) as pool:
            return await asyncio.gather(*(pool.parse(RawPage(f"http://a.test/{name}", HTML)) for name in names))

    digests = dict(zip(names, asyncio.run(parse()), strict=True))
    for name, digest in digests.items():
        assert digest.page is not None, name  # the page and its links are there
        assert list(digest.page.link_urls) == ["http://a.test/b"], name
    problems = {name: digest.extracted[0].problem for name, digest in digests.items()}
    assert problems.pop("hang") == "parse_timeout: not parsed in 1 s"
    assert problems.pop("leak") == "it ran out of memory"
    assert problems.pop("raise").startswith("it raised LookupError: a surprise, line ")
    assert problems.pop("print") == "it printed 'here I am\\n'"
    assert problems.pop("exit").startswith("it raised SystemExit: 3, line ")
    assert problems.pop("leave") == "parser_crash: the parser died with code 3"
    assert problems.pop("die") == "parser_crash: the parser was ended by SIGKILL"
    assert "words is of type integer, not 'many'" in problems.pop("wrong")
    assert "there is no field 'word'; the fields are: words, letters" in problems.pop("unknown")
    assert set(problems.values()) == {""}
    assert all(digests[name].extracted[0].records == ['{"words":4}'] for name in problems)
    assert capfd.readouterr().out == ""


@pytest.mark.slow
def test_rules_that_never_end_cost_their_own_table_alone() -> None:
    rules = read_rules(
        '[endless]\npages = "**"\n[endless.fields]\nv = { css = "p", regex = "^(a+)+$" }\n'
        '[good]\npages = "**"\n[good.fields]\nv = "title"',
        "r.toml",
    )

    async def parse() -> PageDigest:
        async with ParserPool(config(rules=rules.encoded()), processes=1, timeout_seconds=0.3) as pool:
            return await pool.parse(RawPage("http://a.test/", b"<title>T</title><p>" + b"a" * 60 + b"!"))

    digest = asyncio.run(parse())
    assert digest.page is not None
    endless, good = digest.extracted
    assert (endless.records, endless.problem) == ([], "parse_timeout: not parsed in 0.3 s")
    assert good.records == ['{"v":"T"}']
