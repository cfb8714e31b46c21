"""Host names to addresses: what is looked up, for how long it is believed, and what is never answered."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

import pytest

from hinterland.crawler.fetching.address_guard import AddressGuard
from hinterland.crawler.fetching.names.lookups import FoundName, LookupFailed, LookupProblem, ResolvedAddress
from hinterland.crawler.fetching.names.resolver import ForbiddenAddress, NamedAddress, NameNotFound, NameResolver
from tests.support.crawling import wait_until

V4, V6 = socket.AF_INET, socket.AF_INET6


class Table:
    """Lookups in a table, which counts how often it is asked. May be slow."""

    def __init__(self, names: Mapping[str, list[str]], ttl: float | None) -> None:
        self.names = names
        self.ttl = ttl
        self.asked: list[str] = []
        self.forgotten = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def look_up(self, name: str) -> FoundName:
        self.asked.append(name)
        await self.may_answer.wait()
        if name not in self.names:
            raise LookupFailed(LookupProblem.NO_SUCH_NAME, "no such name")
        found = self.names[name]
        return FoundName(tuple(ResolvedAddress(each, V6 if ":" in each else V4) for each in found), self.ttl)

    def forget(self) -> None:
        self.forgotten += 1

    def close(self) -> None:
        pass


class Telling(NameResolver):
    """A resolver that asks a table, at a time of its own."""

    def __init__(
        self,
        names: Mapping[str, list[str]],
        *,
        allow: tuple[str, ...] = ("0.0.0.0/0", "::/0"),
        fixed: Mapping[str, str] | None = None,
        ttl: float | None = None,
        cache_seconds: float = 300.0,
        cache_size: int = 3,
        patience_seconds: float = 10.0,
    ) -> None:
        self.table = Table(names, ttl)
        super().__init__(
            AddressGuard(allow),
            self.table,
            fixed=fixed or {},
            cache_seconds=cache_seconds,
            cache_size=cache_size,
            now=lambda: self.time,
            patience_seconds=patience_seconds,
        )
        self.time = 100.0

    @property
    def asked(self) -> list[str]:
        return self.table.asked


async def addresses(resolver: NameResolver, name: str, port: int = 80) -> list[str]:
    return [found.address for found in await resolver.addresses(name, port)]


async def test_a_name_is_asked_for_once_while_its_answer_holds() -> None:
    resolver = Telling({"a.test": ["192.0.2.1", "2001:db8::1"]}, ttl=60.0)
    for _ in range(3):
        assert await resolver.look_up("a.test", 80) == NamedAddress("192.0.2.1", 160.0)
        assert await addresses(resolver, "a.test") == ["192.0.2.1", "2001:db8::1"]
    assert resolver.asked == ["a.test"]
    resolver.time += 60.0
    await resolver.look_up("a.test", 443)
    assert resolver.asked == ["a.test", "a.test"]


async def test_a_short_ttl_counts_as_half_a_minute_and_a_long_one_as_the_longest_allowed() -> None:
    for ttl, seconds in ((0.0, 30.0), (31.0, 31.0), (86_400.0, 300.0), (None, 300.0)):
        resolver = Telling({"a.test": ["192.0.2.1"]}, ttl=ttl)
        assert await resolver.look_up("a.test", 80) == NamedAddress("192.0.2.1", 100.0 + seconds)


async def test_a_connection_uses_an_answer_that_has_expired() -> None:
    resolver = Telling({"a.test": ["192.0.2.1"]}, ttl=30.0)
    await resolver.look_up("a.test", 80)
    resolver.time += 1000.0
    assert await addresses(resolver, "a.test") == ["192.0.2.1"]
    assert resolver.asked == ["a.test"]


async def test_a_fresh_lookup_asks_the_name_server_whatever_is_remembered() -> None:
    resolver = Telling({"a.test": ["192.0.2.1"]}, ttl=300.0)
    await resolver.look_up("a.test", 80)
    await resolver.look_up("a.test", 80, is_fresh=True)
    assert (resolver.asked, resolver.table.forgotten) == (["a.test", "a.test"], 1)


async def test_a_host_with_both_families_is_counted_at_its_ipv4_address() -> None:
    resolver = Telling({"a.test": ["2001:db8::1", "192.0.2.1"], "six.test": ["2001:db8::6"]})
    assert (await resolver.look_up("a.test", 80)).address == "192.0.2.1"
    assert (await resolver.look_up("six.test", 80)).address == "2001:db8::6"


async def test_the_names_used_longest_ago_are_forgotten_first() -> None:
    resolver = Telling({f"{letter}.test": ["192.0.2.1"] for letter in "abcd"})
    for letter in "abca":
        await resolver.look_up(f"{letter}.test", 80)
    await resolver.look_up("d.test", 80)
    for letter in "acdb":
        await resolver.look_up(f"{letter}.test", 80)
    assert resolver.asked == [f"{letter}.test" for letter in "abcdb"]


async def test_two_questions_for_one_name_share_a_lookup_even_if_the_first_gives_up() -> None:
    resolver = Telling({"a.test": ["192.0.2.1"]})
    resolver.table.may_answer.clear()
    first = asyncio.create_task(resolver.addresses("a.test", 80))
    second = asyncio.create_task(resolver.addresses("a.test", 80))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    resolver.table.may_answer.set()
    assert [found.address for found in await second] == ["192.0.2.1"]
    assert resolver.asked == ["a.test"]


async def test_a_question_after_one_that_waited_in_vain_finds_a_name_server_that_is_back() -> None:
    resolver = Telling({"a.test": ["192.0.2.1"]}, patience_seconds=0.01)
    resolver.table.may_answer.clear()
    with pytest.raises(NameNotFound, match="took more than"):
        await resolver.addresses("a.test", 80)
    resolver.table.may_answer = asyncio.Event()  # the first lookup still waits for the old one
    resolver.table.may_answer.set()
    assert await addresses(resolver, "a.test") == ["192.0.2.1"]
    assert resolver.asked == ["a.test", "a.test"]
    resolver.close()


async def test_what_a_lookup_finds_too_late_is_known_to_the_next_question() -> None:
    resolver = Telling({"a.test": ["192.0.2.1"]}, patience_seconds=0.01)
    resolver.table.may_answer.clear()
    with pytest.raises(NameNotFound, match="took more than"):
        await resolver.addresses("a.test", 80)
    resolver.table.may_answer.set()
    await wait_until(lambda: resolver.lookups == 1)
    assert await addresses(resolver, "a.test") == ["192.0.2.1"]
    assert resolver.asked == ["a.test"]


async def test_a_failed_lookup_is_an_error_and_not_remembered() -> None:
    resolver = Telling({})
    for _ in range(2):
        with pytest.raises(NameNotFound, match=r"a\.test: no such name"):
            await resolver.addresses("a.test", 80)
    assert resolver.asked == ["a.test", "a.test"]


async def test_a_failed_lookup_that_nobody_waits_for_any_more_is_no_trouble() -> None:
    troubles: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
    resolver = Telling({})
    resolver.table.may_answer.clear()
    question = asyncio.create_task(resolver.addresses("a.test", 80))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    question.cancel()
    resolver.table.may_answer.set()
    await wait_until(lambda: not resolver._under_way)
    assert troubles == []


async def test_forbidden_addresses_are_left_out_and_a_name_with_no_others_is_forbidden() -> None:
    names = {"mixed.test": ["10.0.0.1", "192.0.43.8", "::1"], "inside.test": ["10.0.0.1", "127.0.0.1"]}
    resolver = Telling(names, allow=())
    assert await addresses(resolver, "mixed.test") == ["192.0.43.8"]
    with pytest.raises(ForbiddenAddress, match=r"inside\.test is at 10\.0\.0\.1, 127\.0\.0\.1, which"):
        await resolver.addresses("inside.test", 80)


async def test_fixed_names_are_not_looked_up_and_the_one_with_the_port_counts_first() -> None:
    resolver = Telling({}, fixed={"A.test": "192.0.2.7", "a.test:8080": "192.0.2.8"})
    assert await addresses(resolver, "a.test") == ["192.0.2.7"]
    assert await addresses(resolver, "a.test", 8080) == ["192.0.2.8"]
    assert resolver.asked == []


@pytest.mark.parametrize(
    "given, asked",
    [
        ("xn--bcher-kva.test", "bücher.test"),
        ("xn--bcher-kva.test:80", "bücher.test"),
        ("bücher.test", "xn--bcher-kva.test"),
        ("BÜCHER.test", "bücher.test"),
        ("XN--BCHER-KVA.TEST", "xn--bcher-kva.test"),
        ("xn--e1afmkfd.test", "пример.test"),
        ("xn--fiqs8s", "中国"),
        ("a_b.test", "a_b.test"),
    ],
)
async def test_a_fixed_name_of_other_letters_is_known_in_either_spelling(given: str, asked: str) -> None:
    resolver = Telling({}, fixed={given: "192.0.2.7"})
    assert await addresses(resolver, asked) == ["192.0.2.7"]
    assert resolver.asked == []


@pytest.mark.parametrize("literal, family", [("192.0.2.1", V4), ("::1", V6), ("[2001:db8::1]", V6)])
async def test_literal_addresses_are_taken_as_they_are(literal: str, family: socket.AddressFamily) -> None:
    resolver = Telling({})
    assert await resolver.addresses(literal, 80) == [ResolvedAddress(literal.strip("[]"), family)]
    assert resolver.asked == []
