"""The small pure parts of the command line."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from crawler.apps.cli.commands import parser
from crawler.apps.cli.crawl.command import recorded_arguments
from crawler.apps.cli.crawl.public_hosts import addresses_of, closed_hosts, lacks_contact, network_of
from crawler.apps.cli.exit_codes import exit_code_table
from crawler.apps.cli.seeds import GivenSeed, given_seeds, read_seeds, seeds_in
from crawler.apps.text.failure_lines import failure_lines
from crawler.apps.text.next_commands import next_commands
from crawler.apps.text.wording import duration, printable, rate, size, sparkline, table
from crawler.engine.decisions.endings import EndReason
from crawler.policies import POLICIES
from crawler.settings import FetchingSettings, IdentitySettings, Settings
from crawler.urls.canonical import Canonicaliser
from storage.report_records import FailureReport

ROOT = Path(__file__).parents[4]


# --- wording ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seconds, words",
    [
        (0.04, "0.0 s"),
        (9.96, "10 s"),
        (59.6, "1 min 00 s"),
        (3599.0, "59 min 59 s"),
        (3600.0, "1 h 00 min"),
        (90_000.0, "1 d 1 h"),
    ],
)
def test_durations_are_worded(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_sizes_and_rates_have_few_digits() -> None:
    assert [size(count) for count in (999, 1000, 123_456, 9_990_000)] == [
        "999 bytes",
        "1.0 KB",
        "123 KB",
        "10.0 MB",
    ]
    assert [rate(each) for each in (0.04, 99.94, 1234.5)] == ["0.0", "99.9", "1,234"]


def test_foreign_texts_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31mb\r\n\u202ec é") == "a\\x1b[31mb\\r\\n\\u202ec é"


def test_sparklines_reach_from_zero_to_the_largest_value_in_few_letters() -> None:
    assert sparkline([0.0, 1.0, 2.0, 4.0]) == "▁▃▅█"
    assert sparkline([0.0, 0.0]) == "▁▁"
    assert sparkline([]) == ""
    long = sparkline([float(value) for value in range(1000, 0, -1)])
    assert len(long) == 50
    assert (long[0], long[-1]) == ("█", "▁")


def test_tables_are_aligned() -> None:
    assert table([("a", "1", ""), ("bbb", "22", "x")], right=(1,)) == ["  a     1", "  bbb  22  x"]


# --- seeds --------------------------------------------------------------------------------------


def test_a_byte_order_mark_before_the_seeds_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("a.example\n", encoding="utf-8-sig")
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(file.read_bytes())))
    assert [each.text for name in (str(file), "-") for each in given_seeds([], name)] == ["a.example"] * 2


def test_seeds_in_a_file_stand_one_per_line_between_comments() -> None:
    assert seeds_in(["# a comment", "", " https://a.example/ ", "b.example/#part"], "f.txt") == [
        GivenSeed("https://a.example/", "f.txt, line 3"),
        GivenSeed("b.example/#part", "f.txt, line 4"),
    ]


def test_seeds_are_canonical_and_distinct_and_every_bad_one_has_its_place_and_reason() -> None:
    given = [
        GivenSeed("a.example", "line 1"),
        GivenSeed("HTTPS://A.example:443/#x", "line 2"),
        GivenSeed("ftp://a.example/", "line 3"),
        GivenSeed("https://a.example/" + "x" * 100, "line 4"),
    ]
    seeds = read_seeds(given, Canonicaliser(max_length=50))
    assert seeds.urls == ["https://a.example/"]
    assert [complaint.partition(":")[0] for complaint in seeds.complaints] == ["line 3", "line 4"]
    assert "urls.max_length" in seeds.complaints[1]


def test_seeds_without_a_scheme_say_what_they_are_taken_for() -> None:
    given = [GivenSeed(text, "") for text in ("https://a.example/", "b.example", " localhost:8000/x ")]
    assert read_seeds(given, Canonicaliser()).assumptions == [
        "b.example is taken for https://b.example/",
        "localhost:8000/x is taken for http://localhost:8000/x",
    ]


# --- failures -----------------------------------------------------------------------------------


def test_a_reason_is_never_cut_and_has_a_line_of_its_own_if_it_is_long() -> None:
    long = "certificate verify failed: " + "unable to get local issuer certificate " * 4
    failures = [
        FailureReport("tls_failure", None, 2, 0, "https://a.example/", long),
        FailureReport("client_error", 404, 12, 0, "https://a.example/" + "x" * 200, "status 404"),
        FailureReport("client_error", 410, 1, 0, "https://a.example/y", ""),
    ]
    assert list(failure_lines(failures))[2:] == [
        "  tls_failure    2  https://a.example/",
        f"      ({long})",
        f"  client_error  12  https://a.example/{'x' * 200}",
        "      (status 404)",
        "  client_error   1  https://a.example/y  (status 410)",
    ]


# --- what the store keeps of the command line -----------------------------------------------------


def test_secret_settings_are_not_recorded() -> None:
    command = [
        "crawl",
        "--set",
        "fetching.proxy=http://u:p@h:1",
        "--set=fetching.headers=A=b",
        "--set",
        "policy.seed=1",
    ]
    assert recorded_arguments(command) == [
        *("crawl", "--set", "fetching.proxy=***", "--set=fetching.headers=***", "--set", "policy.seed=1")
    ]


# --- whom to write to ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "seed, is_public",
    [
        ("http://8.8.8.8/", True),
        ("http://8.8.8.8:8080/", True),
        ("http://[2606:4700::1111]/", True),
        ("http://127.0.0.1:8000/", False),
        ("http://192.168.1.1/", False),
        ("http://localhost/", False),
        ("https://docs.example/", False),
        ("https://mapped.org/", True),
        ("https://mine.org/", False),
    ],
)
async def test_public_hosts_want_a_contact(seed: str, is_public: bool) -> None:
    fetching = FetchingSettings(
        addresses={"mapped.org": "8.8.8.8", "mine.org": "9.9.9.9"}, allow_networks=("9.9.9.0/24",)
    )
    addresses = await addresses_of([seed], fetching)
    assert lacks_contact(Settings(fetching=fetching), addresses) is is_public
    named = Settings(fetching=fetching, identity=IdentitySettings(contact="mailto:me@a.example"))
    assert not lacks_contact(named, addresses)


@pytest.mark.parametrize("seed, is_public", [("https://a.org/", True), ("https://docs.example/", False)])
async def test_behind_a_proxy_every_name_that_is_not_reserved_is_public(seed: str, is_public: bool) -> None:
    fetching = FetchingSettings(proxy="http://proxy.example:3128")
    addresses = await addresses_of([seed], fetching)
    assert lacks_contact(Settings(fetching=fetching), addresses) is is_public
    assert closed_hosts(addresses, fetching) == {}


@pytest.mark.parametrize(
    "seed, address, network",
    [
        ("http://localhost:8000/", "127.0.0.1", "127.0.0.0/8"),
        ("http://192.168.0.7/", "192.168.0.7", "192.168.0.7"),
        ("http://[fd00::7]:8000/", "fd00::7", "fd00::7"),
        ("https://two.example/", "10.0.0.1", "10.0.0.1"),
    ],
)
async def test_a_host_at_an_address_that_is_not_public_is_closed_until_its_network_is_allowed(
    seed: str, address: str, network: str
) -> None:
    fetching = FetchingSettings(addresses={"localhost": "127.0.0.1", "two.example": "10.0.0.1"})
    addresses = await addresses_of([seed, "http://8.8.8.8/"], fetching)
    [found] = closed_hosts(addresses, fetching).values()
    assert (found, network_of(found)) == (address, network)
    assert closed_hosts(addresses, FetchingSettings(allow_networks=(network,))) == {}


# --- help, exit codes, next commands ------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["crawl", "status", "rank", "index", "search", "explain", "settings", "simulate", "evaluate", "demo"]
)
def test_every_command_has_help_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parser().parse_args([command, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert f"python3 run.py {command}" in text.partition("example")[2]


def test_every_reason_to_end_has_an_exit_code_of_its_own_and_help_names_it() -> None:
    codes = [reason.exit_code for reason in EndReason]
    assert len(set(codes)) == len(codes)
    assert not {2, 3, 69, 130} & set(codes)
    assert all(reason.label in exit_code_table() for reason in EndReason)


def test_help_names_every_policy(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["crawl", "--help"])
    assert ", ".join(POLICIES) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("reason", EndReason)
def test_every_end_leads_somewhere_and_file_names_are_quoted(reason: EndReason) -> None:
    assert any("'my store.db'" in command for command in next_commands(reason, "my store.db"))


def test_a_finished_crawl_leads_to_search_and_browser() -> None:
    commands = " ".join(next_commands(EndReason.EXHAUSTED, "s.db"))
    assert all(f"run.py {name} s.db" in commands for name in ("index", "serve", "status"))


def test_commands_to_copy_hold_what_was_given_and_no_secret() -> None:
    secrets = ["--set", "fetching.proxy=***", "--set=fetching.headers=***"]
    command = ["crawl", "a.example/my page", *secrets, "--store", "s.db"]
    hints = next_commands(EndReason.NOTHING_FETCHED, "s.db", command=command, seeds=["a.example/my page"])
    assert "python3 run.py explain 'a.example/my page' --store s.db" in hints
    assert "python3 run.py crawl 'a.example/my page' --store s.db   # with the seed or the settings mended" in hints
    assert next_commands(EndReason.STORE_FAILED, None, command=command) == [
        "python3 run.py crawl 'a.example/my page' --store s.db"
    ]


def test_a_used_up_budget_is_doubled() -> None:
    assert next_commands(EndReason.MAX_PAGES, "s.db", max_pages=100)[0] == (
        "python3 run.py crawl --resume --store s.db --max-pages 200   # or without a budget"
    )


def test_a_crawl_stopped_by_a_private_address_names_the_setting_that_opens_it() -> None:
    details = ("127.0.0.1 is not allowed by fetching.allow_networks", "a.test is at fd00::7, which is not allowed")
    for detail, address in zip(details, ("127.0.0.1", "fd00::7"), strict=True):
        failure = FailureReport("forbidden_address", None, 1, 0, "http://a.test/", detail)
        commands = next_commands(EndReason.NOTHING_FETCHED, "s.db", failures=[failure])
        assert any(f"--set fetching.allow_networks={address} " in command for command in commands)


def test_run_py_can_be_read_by_old_pythons_up_to_the_set_up() -> None:
    text = (ROOT / "run.py").read_text()
    assert text.index("ensure_environment()") < text.index("from crawler.apps.cli")
    compile(text, "run.py", "exec", dont_inherit=True)


def test_help_and_status_do_not_wait_for_the_packages_of_a_crawl() -> None:
    code = (
        "import sys; from crawler.apps.cli import main; main([]); main(['status', 'nowhere.db']);"
        "sys.exit(bool({'aiohttp', 'rich', 'numpy', 'tldextract'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
