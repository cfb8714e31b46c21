"""What holds for every test: no network, no skips in CI, the same examples each time, nothing compiled twice."""

from __future__ import annotations

import asyncio
import gc
import inspect
import ipaddress
import os
import re
import signal
import socket
import sys
from collections.abc import Coroutine, Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pycares
import pytest
from hypothesis.configuration import set_hypothesis_home_dir

from hinterland.analysis.graph import Graph
from hinterland.analysis.pagerank import pagerank
from hinterland.crawler.fetching.client.event_loop import CrawlLoop
from hinterland.crawler.parsing.compiled.reader_building import ReaderUnusable, build_reader
from hinterland.distribution.environment import ROOT
from tests import keep_bytecode
from tests.support.levels import rounds
from tests.support.refused_networks import REFUSED

keep_bytecode()


def _build_part_in_c() -> None:
    """For the source as it is now: the set-up built it for the source as it was then."""
    with suppress(ReaderUnusable):
        build_reader()


def _compile_page_rank() -> None:
    """Once for all processes of pytest-xdist, which would otherwise all begin with it."""
    pagerank(Graph.from_links([0], [1], 2))


set_hypothesis_home_dir(Path(sys.prefix) / "hypothesis")  # its tables; never inside the tree
os.environ["HINTERLAND_NO_SETUP"] = "1"  # no command that a test gives installs anything
os.environ["MPLCONFIGDIR"] = str(Path(sys.prefix) / "matplotlib")  # its list of fonts; not in anybody's home
hypothesis.settings.register_profile(
    "ci",
    max_examples=rounds(50, 300),
    database=None,
    deadline=None,  # a busy machine is no failure
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("ci")


# --- coroutines as tests ------------------------------------------------------------------------


_PATIENCE_SECONDS = 180
"""Far more than any test needs, also on a busy machine."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs `async def test_...` on the event loop that the crawler uses."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names if name in pyfuncitem.funcargs}
    with asyncio.Runner(loop_factory=CrawlLoop) as runner:
        runner.run(_bounded(pyfuncitem.obj(**arguments)))
    return True


async def _bounded(test: Coroutine[object, object, None]) -> None:
    """A test that waits for what never comes fails at the line where it waits, instead of holding up all others."""
    async with asyncio.timeout(_PATIENCE_SECONDS):
        await test


# --- one name for every module ------------------------------------------------------------------


class _RefuseSecondNames:
    """An importer that finds no `crawler` beside `hinterland.crawler`, though the folder lies in the path: a test that
    patches or asks for a module by its second name would not touch the one that is used."""

    names = frozenset(link.name for link in (ROOT / "hinterland").iterdir() if link.is_symlink())

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in self.names:
            raise ModuleNotFoundError(f"{name} has one name: hinterland.{name}", name=name)


# --- names of tests ------------------------------------------------------------------------------


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name parameters that are packed or binary "bytes": gzip writes down the time, and every process of pytest-xdist
    must collect the same names."""
    return "bytes" if isinstance(val, bytes) and not (val.isascii() and val.decode().isprintable()) else None


# --- slow tests -------------------------------------------------------------------------------------


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without slow tests, leave files alone that have no others: what they import takes seconds."""
    if config.getoption("markexpr") != "not slow" or collection_path.suffix != ".py":
        return None
    return True if _ALL_SLOW.search(collection_path.read_text(encoding="utf-8")) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure the coverage of fast tests alone; slow ones would take twice their time, and run in other processes.

    Begin with what takes longest: a process that has nothing left to do takes tests from the end of another's list, and
    with a long one there all others would wait for it.
    """
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")
    items.sort(key=lambda item: item.path.name not in _LONGEST)


_LONGEST = ("test_docs.py", "test_installed.py", "test_site.py", "test_environment.py")
"""Files with tests that take ten seconds of CPU time and more, for a build, an installation or a new environment."""
_ALL_SLOW = re.compile(r"^pytestmark = (?:\[)?pytest\.mark\.slow\b", re.MULTILINE)


# --- parsing ---------------------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="session")
def _parse_in_this_process() -> Generator[None]:
    from tests.support.parsing_here import parse_here

    with pytest.MonkeyPatch.context() as patch:
        parse_here(patch)
        yield


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parses in processes of their own, as commands do that a test starts as programs."""
    from tests.support.parsing_here import parse_in_processes

    parse_in_processes(monkeypatch)


# --- no network ---------------------------------------------------------------------------------

_strays: list[str] = []


def _refuse_stray(host: object) -> None:
    """Raises, and fails the running test, unless `host` is this machine."""
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name == "" or name == "localhost" or str(name).endswith(".localhost"):
        return
    try:
        address = ipaddress.ip_address(str(name).partition("%")[0])
    except ValueError:
        pass  # a name that somebody would have to look up
    else:
        if address.is_loopback or address.is_unspecified:
            return
    _strays.append(str(name))
    raise OSError(f"a test reached for {name}: tests use no network but loopback")


def _guarded(method: Any) -> Any:
    def guarded(self: socket.socket, *arguments: Any) -> Any:
        address = arguments[-1]  # also of sendto(data, flags, address)
        sends_nothing = self.type == socket.SOCK_DGRAM and method.__name__ == "connect"  # it only chooses a route
        if self.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple) and not sends_nothing:
            _refuse_stray(address[0])
        return method(self, *arguments)

    return guarded


def _guard_name_servers() -> None:
    """Lets c-ares, whose sockets Python does not see, ask only name servers on this machine."""
    ask = pycares.Channel.getaddrinfo

    def guarded(self: pycares.Channel, host: str, *arguments: Any, **options: Any) -> None:
        could_be_asked = max(map(len, host.split("."))) < 64  # a longer label is no name, and is refused
        if could_be_asked and not all(server.startswith("127.") for server in self.servers):
            _refuse_stray(host)
        ask(self, host, *arguments, **options)

    pytest.MonkeyPatch().setattr(pycares.Channel, "getaddrinfo", guarded)  # for good


gc.disable()  # until all is read that the tests need, which stays anyway


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    _guard_sockets()
    _guard_name_servers()
    _take_ctrl_c_again()
    sys.meta_path.insert(0, _RefuseSecondNames())
    if not hasattr(config, "workerinput"):
        _build_part_in_c()
        if config.getoption("numprocesses", None):
            _compile_page_rank()


def _guard_sockets() -> None:
    """Guards every socket that Python code opens; uvloop connects the sockets of aiohttp so, too."""
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
    look_up = socket.getaddrinfo

    def guarded_look_up(host: Any, *arguments: Any, **options: Any) -> Any:
        if not _is_address(host):
            _refuse_stray(host)
        return look_up(host, *arguments, **options)

    socket.getaddrinfo = guarded_look_up


def _is_address(host: object) -> bool:
    """Whether `host` is written in digits: then it can be "looked up" without any network."""
    try:
        ipaddress.ip_address(str(host).partition("%")[0])
    except ValueError:
        return False
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Fails a test that reached for the network, even if the code under test hid the refusal."""
    _strays.clear()
    result = yield
    if _strays:
        pytest.fail(f"reached for {', '.join(_strays)}: tests use no network but loopback", pytrace=False)
    return result


# --- Ctrl-C ------------------------------------------------------------------------------------


def _take_ctrl_c_again() -> None:
    """A shell has what it starts with & ignore SIGINT, and so would the programs that tests send it to."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# --- no silent skips in CI ----------------------------------------------------------------------

ALLOWED_SKIPS: tuple[str, ...] = (
    REFUSED,  # by a container, say; nothing that CI could install would help, and all but the box's own tests run there
)
"""Beginnings of the reasons for which a test may be skipped even in CI, each with a comment why."""


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Whether a failure was expected pytest tells by an attribute that other reports lack; those count as skipped."""
    if os.environ.get("CI") != "true" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(ALLOWED_SKIPS):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI, where every test must run: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turns a skip into a failure in CI."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turns the skip of a whole file into a failure in CI."""
    report = yield
    _refuse_skip(report)
    return report


@pytest.fixture(autouse=True)
def no_mishap_goes_unnoticed(caplog: pytest.LogCaptureFixture) -> Generator[None]:
    """A crawl goes on after an error of the program in one visit; a test must not."""
    yield
    told = [
        record for record in caplog.get_records("call") if record.name == "hinterland.crawler.loop.internal_error_log"
    ]
    assert not told, told[0].getMessage()
