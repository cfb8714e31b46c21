"""Host names to addresses: what is looked up, for how long it is believed, and what is never answered."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

import pytest

from crawler.fetching.address_guard import AddressGuard
from crawler.fetching.client.name_resolution import ForbiddenAddress, NameNotFound, NameResolver, ResolvedAddress
from tests.support.crawling import wait_until

V4, V6 = socket.AF_INET, socket.AF_INET6


class Telling(NameResolver):
    """A resolver whose system is a table, which counts how often it is asked. May be slow."""

    def __init__(
        self,
        names: Mapping[str, list[str]],
        *,
        allow: tuple[str, ...] = ("0.0.0.0/0", "::/0"),
        fixed: Mapping[str, str] | None = None,
        cache_seconds: float = 10.0,
        cache_size: int = 3,
    ) -> None:
        super().__init__(
            AddressGuard(allow),
            fixed=fixed or {},
            cache_seconds=cache_seconds,
            cache_size=cache_size,
            now=lambda: self.time,
        )
        self.names = names
        self.time = 100.0
        self.asked: list[str] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def _ask_system(self, name: str) -> list[ResolvedAddress]:
        self.asked.append(name)
        await self.may_answer.wait()
        if name not in self.names:
            raise socket.gaierror("no such name")
        return [ResolvedAddress(address, V6 if ":" in address else V4) for address in self.names[name]]


async def addresses(resolver: NameResolver, name: str, port: int = 80) -> list[str]:
    return [found.address for found in await resolver.resolve(name, port)]


async def test_a_name_is_asked_for_once_while_its_answer_is_fresh() -> None:
    resolver = Telling({"a.test": ["192.0.2.1", "2001:db8::1"]})
    for _ in range(3):
        assert await resolver.resolve("a.test", 80) == [
            ResolvedAddress("192.0.2.1", V4), ResolvedAddress("2001:db8::1", V6),
        ]  # fmt: skip
    assert resolver.asked == ["a.test"]
    resolver.time += 10.0
    await resolver.resolve("a.test", 443)
    assert resolver.asked == ["a.test", "a.test"]


async def test_the_names_asked_for_longest_ago_are_forgotten_first() -> None:
    resolver = Telling({f"{letter}.test": ["192.0.2.1"] for letter in "abcd"})
    for letter in "abcd":
        await resolver.resolve(f"{letter}.test", 80)
    assert len(resolver._cache) == 3
    for letter in "bcda":
        await resolver.resolve(f"{letter}.test", 80)
    assert resolver.asked == [f"{letter}.test" for letter in "abcda"]


async def test_two_questions_for_one_name_share_a_look_up_even_if_the_first_gives_up() -> None:
    resolver = Telling({"a.test": ["192.0.2.1"]})
    resolver.may_answer.clear()
    first = asyncio.create_task(resolver.resolve("a.test", 80))
    second = asyncio.create_task(resolver.resolve("a.test", 80))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()
    resolver.may_answer.set()
    assert [found.address for found in await second] == ["192.0.2.1"]
    assert resolver.asked == ["a.test"]


async def test_a_failed_look_up_is_an_error_and_not_remembered() -> None:
    resolver = Telling({})
    for _ in range(2):
        with pytest.raises(NameNotFound, match=r"a\.test: no such name"):
            await resolver.resolve("a.test", 80)
    assert resolver.asked == ["a.test", "a.test"]


async def test_a_failed_look_up_that_nobody_waits_for_any_more_is_no_trouble() -> None:
    troubles: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: troubles.append(context))
    resolver = Telling({})
    resolver.may_answer.clear()
    question = asyncio.create_task(resolver.resolve("a.test", 80))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    question.cancel()
    resolver.may_answer.set()
    await wait_until(lambda: not resolver._under_way)
    assert troubles == []


async def test_a_name_without_an_address_is_not_found() -> None:
    with pytest.raises(NameNotFound, match="has no address"):
        await Telling({"a.test": []}).resolve("a.test", 80)


async def test_forbidden_addresses_are_left_out_and_a_name_with_no_others_is_forbidden() -> None:
    names = {"mixed.test": ["10.0.0.1", "192.0.43.8", "::1"], "inside.test": ["10.0.0.1", "127.0.0.1"]}
    resolver = Telling(names, allow=())
    assert await addresses(resolver, "mixed.test") == ["192.0.43.8"]
    with pytest.raises(ForbiddenAddress, match=r"inside\.test is at 10\.0\.0\.1, 127\.0\.0\.1, which"):
        await resolver.resolve("inside.test", 80)


async def test_fixed_names_are_not_looked_up_and_the_one_with_the_port_counts_first() -> None:
    resolver = Telling({}, fixed={"A.test": "192.0.2.7", "a.test:8080": "192.0.2.8"})
    assert await addresses(resolver, "a.test") == ["192.0.2.7"]
    assert await addresses(resolver, "a.test", 8080) == ["192.0.2.8"]
    assert resolver.asked == []


@pytest.mark.parametrize("literal, family", [("192.0.2.1", V4), ("::1", V6), ("[2001:db8::1]", V6)])
async def test_literal_addresses_are_taken_as_they_are(literal: str, family: socket.AddressFamily) -> None:
    resolver = Telling({})
    assert await resolver.resolve(literal, 80) == [ResolvedAddress(literal.strip("[]"), family)]
    assert resolver.asked == []


async def test_the_system_knows_this_machine() -> None:
    resolver = NameResolver(
        AddressGuard(("127.0.0.0/8", "::1/128")), fixed={}, cache_seconds=1.0, cache_size=1, now=lambda: 0.0
    )
    assert set(await addresses(resolver, "localhost")) <= {"127.0.0.1", "::1"}


async def test_a_name_that_cannot_be_one_is_not_found() -> None:
    resolver = NameResolver(AddressGuard(), fixed={}, cache_seconds=1.0, cache_size=1, now=lambda: 0.0)
    with pytest.raises(NameNotFound):
        await resolver.resolve("n" * 64 + ".test", 80)
