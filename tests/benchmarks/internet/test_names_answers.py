"""What the box's name server answers, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.internet.dns_messages import (
    AAAA,
    CNAME,
    HTTPS,
    NOERROR,
    NXDOMAIN,
    SERVFAIL,
    SOA,
    A,
    Answer,
    encode_question,
    read_answer,
    read_question,
)
from benchmarks.internet.names_answers import Names, Reply
from benchmarks.internet.world import Host, Machine, Name, NameKind, Path, Quirk, World

MACHINES = [
    Machine("198.18.0.1", "2001:db8::1", Path()),
    Machine("198.18.0.2", "", Path()),
    Machine("198.18.0.3", "", Path()),
]

PLAIN = Name()


def names_of(name: Name = PLAIN, quirk: Quirk = Quirk.NONE, *, resolver_works: bool = True) -> Names:
    """A world of three hosts, of which `a.example` is as asked, and the last is down."""
    hosts = [Host("a.example", 0, name, quirk=quirk), Host("b.example", 1), Host("c.example", 2, quirk=Quirk.DOWN)]
    return Names(World(1, MACHINES, hosts, resolver_works=resolver_works))


def ask(names: Names, name: str = "a.example", kind: int = A, at: float = 0.0, *, over_tcp: bool = False) -> Reply:
    return names.reply(read_question(encode_question(9, name, kind)), at, over_tcp=over_tcp)


def message_of(reply: Reply) -> Answer:
    assert reply.message is not None
    return read_answer(reply.message)


def addresses(reply: Reply) -> list[str]:
    return [found.data for found in message_of(reply).answers if found.type in (A, AAAA)]


def test_a_name_leads_to_its_machine_in_both_families() -> None:
    names = names_of()
    assert addresses(ask(names)) == ["198.18.0.1"]
    assert addresses(ask(names, kind=AAAA)) == ["2001:db8::1"]
    assert addresses(ask(names, "B.Example")) == ["198.18.0.2"]


@pytest.mark.parametrize("name, kind", [("b.example", AAAA), ("a.example", HTTPS)])
def test_a_name_without_such_records_is_answered_with_none(name: str, kind: int) -> None:
    answer = message_of(ask(names_of(), name, kind))
    assert (answer.code, answer.answers) == (NOERROR, [])
    assert [found.type for found in answer.authority] == [SOA]


def test_the_first_question_takes_the_time_of_the_name_and_later_ones_none_until_the_ttl_is_over() -> None:
    names = names_of(Name(seconds=0.5, ttl=10))
    assert ask(names, at=1.0).seconds == 0.5
    assert ask(names, at=1.2).seconds == pytest.approx(0.3)
    assert ask(names, at=5.0).seconds == 0.0
    assert [found.ttl for found in message_of(ask(names, at=5.0)).answers] == [6]
    assert ask(names, at=12.0).seconds == 0.5


def test_the_time_is_that_of_each_type_of_record() -> None:
    names = names_of(Name(seconds=0.5))
    ask(names)
    assert ask(names, at=1.0, kind=AAAA).seconds == 0.5


def test_a_chain_leads_to_the_address_by_as_many_names() -> None:
    answer = message_of(ask(names_of(Name(cnames=3))))
    assert [found.type for found in answer.answers] == [CNAME, CNAME, CNAME, A]
    owners = [found.name for found in answer.answers]
    targets = [found.data for found in answer.answers]
    assert owners == ["a.example", *targets[:3]]
    assert addresses(ask(names_of(Name(cnames=3)), targets[2])) == [targets[3]]


def test_a_name_that_moves_leads_to_another_machine_after_its_ttl_and_back_after_the_next() -> None:
    names = names_of(Name(ttl=10, moves=True))
    found = [addresses(ask(names, at=at)) for at in (0.0, 9.9, 10.0, 19.9, 20.0)]
    assert found == [["198.18.0.1"], ["198.18.0.1"], ["198.18.0.2"], ["198.18.0.2"], ["198.18.0.1"]]


def test_the_ttl_of_a_name_that_moves_ends_when_it_moves() -> None:
    names = names_of(Name(ttl=10, moves=True))
    assert [found.ttl for found in message_of(ask(names, at=7.0)).answers] == [3]


def test_no_name_moves_to_a_machine_that_cannot_be_reached() -> None:
    names = Names(World(1, MACHINES, [Host("b.example", 1, Name(ttl=10, moves=True)), Host("c", 2, quirk=Quirk.DOWN)]))
    assert addresses(ask(names, "b.example", at=11.0)) == ["198.18.0.1"]


def test_a_dead_name_does_not_exist() -> None:
    reply = ask(names_of(Name(NameKind.NXDOMAIN, seconds=0.2, ttl=30)))
    answer = message_of(reply)
    assert (reply.seconds, answer.code) == (0.2, NXDOMAIN)
    assert [(found.type, found.ttl) for found in answer.authority] == [(SOA, 30)]


def test_a_name_that_the_world_does_not_have_does_not_exist() -> None:
    for name in ("d.example", "www.a.example", "c1.a.example", "example"):
        assert message_of(ask(names_of(), name)).code == NXDOMAIN


def test_a_host_that_redirects_has_a_name_with_www() -> None:
    assert addresses(ask(names_of(quirk=Quirk.REDIRECTS_TO_TLS), "www.a.example")) == ["198.18.0.1"]


def test_a_failing_server_is_reported_at_once_and_a_lame_one_late_each_time() -> None:
    failing, lame = names_of(Name(NameKind.SERVFAIL, seconds=4.0)), names_of(Name(NameKind.LAME, seconds=4.0))
    assert [(message_of(ask(failing, at=at)).code, ask(failing, at=at).seconds) for at in (0.0, 9.0)] == [
        (SERVFAIL, 0)
    ] * 2
    assert [(message_of(ask(lame, at=at)).code, ask(lame, at=at).seconds) for at in (0.0, 9.0)] == [(SERVFAIL, 4)] * 2


def test_a_silent_name_has_no_reply_and_the_others_have() -> None:
    names = names_of(Name(NameKind.SILENT))
    assert ask(names).message is None
    assert ask(names, over_tcp=True).message is None
    assert ask(names, "b.example").message is not None


def test_nothing_has_a_reply_when_the_resolver_is_gone() -> None:
    names = names_of(resolver_works=False)
    assert {ask(names, name).message for name in ("a.example", "b.example", "d.example")} == {None}


def test_a_resolver_that_goes_away_comes_back_some_seconds_after_the_first_question() -> None:
    names = Names(replace(names_of().world, resolver_away=(2.0, 10.0)))
    assert [ask(names, at=at).message is None for at in (5.0, 6.9, 7.0, 14.9, 15.0)] == [
        False,
        False,
        True,
        True,
        False,
    ]


def test_a_long_answer_is_cut_over_udp_and_whole_over_tcp() -> None:
    names = names_of(Name(NameKind.TRUNCATED))
    cut = message_of(ask(names))
    assert (cut.is_truncated, cut.answers) == (True, [])
    assert addresses(ask(names, over_tcp=True)) == ["198.18.0.1"]
