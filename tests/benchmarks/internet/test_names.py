"""The box's name server over UDP and TCP, on loopback."""

from __future__ import annotations

import asyncio
import io
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from benchmarks.internet.dns_messages import (
    AAAA,
    NOERROR,
    NXDOMAIN,
    SERVFAIL,
    A,
    Answer,
    encode_question,
    read_answer,
)
from benchmarks.internet.names import NameServer, serving_names
from benchmarks.internet.names_log import Asked, QuestionLog, questions_by_name, read_questions
from benchmarks.internet.world import Host, Machine, Name, NameKind, World
from benchmarks.internet.world import Path as NetworkPath
from benchmarks.internet.world_file import write_world

REPOSITORY = Path(__file__).parents[3]
MACHINES = [Machine("198.18.0.1", "2001:db8::1", NetworkPath())]
KINDS = {kind: Host(f"{kind}.example", 0, Name(kind)) for kind in NameKind}
SLOW = Host("slow.example", 0, Name(seconds=0.3))
WORLD = World(1, MACHINES, [*KINDS.values(), SLOW])


class Client(asyncio.DatagramProtocol):
    """Asks over UDP; answers are in the order in which they came."""

    def __init__(self) -> None:
        self.answers: asyncio.Queue[Answer] = asyncio.Queue()

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.answers.put_nowait(read_answer(data))


@asynccontextmanager
async def asking(port: int) -> AsyncIterator[tuple[Client, asyncio.DatagramTransport]]:
    loop = asyncio.get_running_loop()
    transport, client = await loop.create_datagram_endpoint(Client, remote_addr=("127.0.0.1", port))
    try:
        yield client, transport
    finally:
        transport.close()


async def ask(port: int, *names: str, kind: int = A) -> list[Answer]:
    """Ask for all names at once over UDP, and return as many answers as they come."""
    async with asking(port) as (client, transport):
        for question_id, name in enumerate(names):
            transport.sendto(encode_question(question_id, name, kind))
        return [await client.answers.get() for _ in names]


async def ask_over_tcp(port: int, name: str) -> Answer:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    question = encode_question(5, name, A)
    writer.write(len(question).to_bytes(2) + question)
    answer = read_answer(await reader.readexactly(int.from_bytes(await reader.readexactly(2))))
    writer.close()
    await writer.wait_closed()
    return answer


async def ask_all(port: int) -> None:
    await ask(port, "answered.example", "answered.example", "nxdomain.example")
    await ask(port, "answered.example", kind=AAAA)
    await ask_over_tcp(port, "truncated.example")


def server_of(world: World = WORLD) -> NameServer:
    return NameServer(world, QuestionLog(io.StringIO()))


@pytest.mark.parametrize(
    "kind, code",
    [
        (NameKind.ANSWERED, NOERROR),
        (NameKind.NXDOMAIN, NXDOMAIN),
        (NameKind.SERVFAIL, SERVFAIL),
        (NameKind.LAME, SERVFAIL),
        (NameKind.TRUNCATED, NOERROR),
    ],
)
async def test_each_kind_of_name_has_its_answer_over_udp(kind: NameKind, code: int) -> None:
    async with serving_names(server_of()) as port:
        (answer,) = await ask(port, KINDS[kind].name)
    assert (answer.code, answer.is_truncated) == (code, kind is NameKind.TRUNCATED)
    assert len(answer.answers) == (kind is NameKind.ANSWERED)


async def test_a_silent_name_has_no_answer_while_later_questions_have() -> None:
    async with serving_names(server_of()) as port, asking(port) as (client, transport):
        for question_id, kind in enumerate((NameKind.SILENT, NameKind.ANSWERED)):
            transport.sendto(encode_question(question_id, KINDS[kind].name, A))
        assert (await client.answers.get()).name == KINDS[NameKind.ANSWERED].name
        assert client.answers.empty()


async def test_a_slow_name_holds_up_no_other() -> None:
    async with serving_names(server_of()) as port:
        answers = await ask(port, "slow.example", "answered.example", "nxdomain.example")
    assert [answer.name for answer in answers] == ["answered.example", "nxdomain.example", "slow.example"]


async def test_a_cut_answer_is_whole_over_tcp() -> None:
    async with serving_names(server_of()) as port:
        answer = await ask_over_tcp(port, "truncated.example")
    assert [found.data for found in answer.answers] == ["198.18.0.1"]


async def test_a_slow_name_holds_up_no_other_on_the_same_connection() -> None:
    async with serving_names(server_of()) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for name in ("slow.example", "answered.example"):
            question = encode_question(5, name, A)
            writer.write(len(question).to_bytes(2) + question)
        answers = [await reader.readexactly(int.from_bytes(await reader.readexactly(2))) for _ in range(2)]
        writer.close()
        await writer.wait_closed()
    assert [read_answer(answer).name for answer in answers] == ["answered.example", "slow.example"]


async def test_both_families_are_answered() -> None:
    async with serving_names(server_of()) as port:
        (answer,) = await ask(port, "answered.example", kind=AAAA)
    assert [found.data for found in answer.answers] == ["2001:db8::1"]


async def test_what_is_no_question_is_counted_and_the_next_one_answered() -> None:
    server = server_of()
    async with serving_names(server) as port, asking(port) as (client, transport):
        transport.sendto(b"hello")
        transport.sendto(encode_question(1, "answered.example", A))
        assert (await client.answers.get()).id == 1
    assert server.bad_messages == 1


def test_the_program_logs_each_question_by_the_time_it_has_ended(tmp_path: Path) -> None:
    world, log = tmp_path / "world.json", tmp_path / "questions.jsonl"
    write_world(WORLD, world)
    options = [str(world), "--log", str(log), "--address", "127.0.0.1", "--port", "0"]
    command = [sys.executable, "-m", "benchmarks.internet.names", *options]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        ready, _, port = program.stdout.readline().partition(" ")
        assert ready == "ready"
        asyncio.run(ask_all(int(port)))
        program.send_signal(signal.SIGTERM)
        assert program.wait(60) == 0
    asked = read_questions(log)
    assert questions_by_name(asked) == {
        "answered.example": Counter({"A": 2, "AAAA": 1}),
        "nxdomain.example": Counter({"A": 1}),
        "truncated.example": Counter({"A": 1}),
    }
    assert [question.outcome for question in asked if question.over_tcp] == ["answered"]
    assert [question.at for question in asked] == sorted(question.at for question in asked)


def test_a_log_can_be_read_while_a_line_of_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    with file.open("w", encoding="utf-8") as output:
        log = QuestionLog(output)
        log.add(1.0, "a.example", AAAA, True, 0.5, "answered")
        log.flush()
        output.write('[2.0, "b.exa')
    assert read_questions(file) == [Asked(1.0, "a.example", "AAAA", True, 0.5, "answered")]
