"""The reader in C: it reads as Python does, is made once and only trusted when checked, and can be done without."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from array import array
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.parsing.blocks.block_numbers import block_numbers
from hinterland.crawler.parsing.blocks.text_blocks import text_blocks
from hinterland.crawler.parsing.compiled import reader_building
from hinterland.crawler.parsing.compiled.__main__ import main
from hinterland.crawler.parsing.compiled.reader_building import SOURCE, ReaderUnusable, build_reader, compiled_reader
from hinterland.crawler.parsing.compiled.reader_check import (
    HREFS,
    NEARLY_UTF8,
    SAMPLES,
    URLS,
    difference,
    different_places,
)
from hinterland.crawler.parsing.compiled.text_places import CompiledPlaces
from hinterland.crawler.parsing.html.page_elements import HIDDEN_TAGS, read_elements
from hinterland.crawler.parsing.pool.config import parser_config
from hinterland.crawler.parsing.pool.page_digester import PageDigester
from hinterland.crawler.settings import ParsingSettings, Settings
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver
from tests.crawler.parsing.test_parse_worker import config, digest
from tests.support.page_parsing import compiled, parsed

pytestmark = pytest.mark.slow

CANONICALISER = Canonicaliser(max_length=90)


@pytest.fixture(autouse=True)
def _with_a_compiler() -> None:
    if compiled() is None:
        pytest.skip("no C compiler")  # CI has one: there, a skip is a failure


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the C part that a test may change. It is compiled without optimisation, which takes a fifth of the
    time."""
    monkeypatch.setattr(reader_building, "_OPTIONS", (*reader_building._OPTIONS, "-O0"))
    copy = tmp_path / "element_reader.c"
    copy.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    return copy


# --- what it reads ------------------------------------------------------------------------------


def test_the_characters_of_a_very_long_text_are_counted_as_in_python() -> None:
    words = "Ab 1, 2. caf\u00e9\u3002 " * 20_000
    html = f"<title>T</title><p>{words}<p>Short one.<ul><li><a href=b>b</a></ul><p>{words}".encode()
    reader, body = compiled(), LexborHTMLParser(html).body
    assert reader is not None
    assert body is not None
    numbers = [number for block in block_numbers(text_blocks(body, HIDDEN_TAGS), b"T") for number in block]
    assert list(array("i", reader.block_numbers(html)[1])) == numbers


TAGS = """
    a area article base body b canvas dd div em form frame frameset h1 h2 head html i iframe img li link math meta nobr
    noscript option p script select style svg table td template textarea title tr u x-y
"""
SNIPPETS = (
    *(f"<{slash}{tag}>" for slash in ("", "/") for tag in TAGS.split()),
    *(f'<a href="{href}">' for href in HREFS),
    *("<div class='b  c'>", "<p id=i>", "<ul id=i class>", "<b class=é>"),
    *("<a rel=nofollow href=x>", "<a href=x rel>", "<base href=/b/>", "<link rel=next href=n>", "<img alt=' i '>"),
    *("<meta name=robots content=nofollow>", "<html lang=en>", "<iframe src=i>", "<area href=m alt=m>", "<!--", "-->"),
    *("text", " ", "\n", "\u00a0", "é", "\u20ac", "\U0001f578", "&amp;", "&#0;", "\0", "\ud7ff"),
)  # fmt: skip
PAGES = st.lists(st.sampled_from(SNIPPETS), max_size=60).map("".join)


@given(PAGES, st.sampled_from(URLS))
def test_any_page_is_read_as_by_python(html: str, url: str) -> None:
    _compare(html.encode(), url)


@given(PAGES)
def test_any_text_node_is_placed_as_by_python(html: str) -> None:
    assert not different_places(html.encode(), CompiledPlaces(build_reader()))


BROKEN = st.sampled_from(NEARLY_UTF8.split()).map(bytes.fromhex)
OCTETS = st.lists(st.binary(max_size=12) | BROKEN | PAGES.map(str.encode), max_size=9)


@given(OCTETS.map(b"".join))
def test_bytes_that_are_not_utf8_are_read_as_by_python(html: bytes) -> None:
    _compare(html, URLS[0])


@given(st.text("abz./?#:-_~%@;09é\t A", max_size=12), st.sampled_from(URLS))
def test_any_href_is_read_as_by_python(href: str, url: str) -> None:
    _compare(f'<a href="{href}">x</a><a href="http:{href}">y</a><a href="http://{href}/x">z</a>'.encode(), url)


def test_many_links_are_read_as_by_python() -> None:
    _compare(b"".join(b"<a href=%d>%d</a>" % (n, n) for n in range(3000)) * 2, URLS[0])


def test_a_page_leaves_nothing_for_the_next() -> None:
    for sample in (*SAMPLES, *SAMPLES):
        _compare(sample.encode() if isinstance(sample, str) else sample, URLS[0])


def test_a_page_that_needs_too_much_memory_is_given_up_and_the_next_is_read() -> None:
    """Run in a process of its own, which may use 48 MiB more than it has."""
    code = """if True:
        import resource, sys
        from pathlib import Path
        from hinterland.crawler.parsing.compiled.element_reader import CompiledReader
        read = CompiledReader(Path(sys.argv[1]))
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (48 << 20),) * 2)
        def title(html):
            return read(html, max_anchors=9000, with_text=True).title
        for html in (b"<title>t</title>" + b"<p>x" * 500_000, (b"<p>" + b"x" * 1000) * 13_000):
            try:
                title(html)
            except MemoryError as error:
                print("given up:", error)
        nested = b"".join(b"<a href=p%d><table><td>" % n for n in range(300))
        print(title(b"<title>next</title>" + nested + b"x" * 200_000))  # a copy for each <a> would be 60 MB
    """
    command = [sys.executable, "-c", code, str(compiled_reader())]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["given up: Lexbor gave up", "given up: no memory", "next"]


def test_wherever_memory_runs_out_nothing_is_read_that_is_not_there(tmp_path: Path) -> None:
    """Run in a process whose memory ends at a protected page, and whose allocations fail from the n-th on."""
    shim = tmp_path / "shim.h"
    shim.write_text("""
        #define _GNU_SOURCE
        #include <stdint.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        enum { PAGE = 4096 };
        long calls_that_succeed = -1;
        /* Lays out: a page with the size, the bytes up to the very end of their last page, a page that traps. */
        static size_t *size_of(void *of) { return (size_t *)(((uintptr_t)of & ~(uintptr_t)(PAGE - 1)) - PAGE); }
        static size_t pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }
        static void guarded_free(void *of)
        {
            if (of != NULL)
                munmap(size_of(of), pages(*size_of(of)) + 2 * PAGE);  /* any read now traps */
        }
        static void *guarded_realloc(void *of, size_t size)
        {
            if (calls_that_succeed == 0)
                return NULL;
            if (calls_that_succeed > 0)
                calls_that_succeed--;
            size_t data = pages(size);
            char *start = mmap(NULL, data + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            mprotect(start + PAGE + data, PAGE, PROT_NONE);
            *(size_t *)start = size;
            char *made = start + PAGE + data - size;
            if (of != NULL)
                memcpy(made, of, *size_of(of) < size ? *size_of(of) : size);
            guarded_free(of);
            return made;
        }
        static void *guarded_calloc(size_t of, size_t each) { return guarded_realloc(NULL, of * each); }
        static void *guarded_malloc(size_t size) { return guarded_realloc(NULL, size); }
        long first_byte_behind(long size)
        {
            char *made = guarded_realloc(NULL, size);
            made[size - 1] = 1;
            return made[size];
        }
        #define realloc guarded_realloc
        #define calloc guarded_calloc
        #define malloc guarded_malloc
        #define free guarded_free
    """)
    start = """if True:
        import ctypes, sys
        from pathlib import Path
        from hinterland.crawler.parsing.compiled.element_reader import CompiledReader
        read = CompiledReader(Path(sys.argv[1]))
        library = ctypes.CDLL(sys.argv[1])
        calls = ctypes.c_long.in_dll(library, "calls_that_succeed")
        """
    code = (
        start
        + """
        long_hrefs = b"<a href=http://h/%s></a>" % (b"x" * 9000) * 3 + b"<a href=q></a>" * 3
        many_hrefs = b"".join(b"<a href=p%d></a>" % n for n in range(3000)) * 2
        lines = b"<pre>x\\n\\n<b>y</b>\\n" + b"z\\n" * 9000
        many_blocks = b"<div>" * 3000 + b"<p>x<p>y z<br>" * 3000 + b"<p>\\xff" * 9
        given_up = 0
        for html in (long_hrefs, many_hrefs, lines, many_blocks):
            for succeed in range(40):
                read(b"", max_anchors=9000, with_text=True)
                calls.value = succeed
                try:
                    read(html, max_anchors=9000, with_text=True)
                except MemoryError:
                    given_up += 1
                calls.value = -1
        elements = read(b"<a href=x>y</a>", max_anchors=9000, with_text=True)
        print(given_up > 5, elements.hrefs)
    """
    )
    library = tmp_path / "reader.so"
    options = ["-O1", "-std=c11", "-fPIC", "-shared", "-include", str(shim)]
    subprocess.run(["cc", *options, "-o", str(library), str(SOURCE)], check=True)

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, str(library)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run(start + "library.first_byte_behind(100)").returncode == -signal.SIGSEGV  # it does trap
    done = run(code)
    assert (done.stdout, done.stderr[-2000:]) == ("True ['x']\n", "")


def test_a_parser_process_reads_with_it() -> None:
    html = b"<title>t</title><a href=x>x</a>"
    path = str(compiled_reader())
    assert digest(html, reader=path) == digest(html)
    assert PageDigester(config(reader=path))._read is not PageDigester(config())._read


def test_a_parser_process_reads_by_python_if_it_is_gone(tmp_path: Path) -> None:
    assert PageDigester(config(reader=str(tmp_path / "gone.so")))._read is read_elements


# --- how it is made -----------------------------------------------------------------------------


def test_the_library_is_compiled_once(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "made"
    first = build_reader(folder, source)
    assert difference(first) == ""
    monkeypatch.setenv("CC", "no-such-compiler")
    assert build_reader(folder, source) == first
    assert compiled_reader(folder, source) == first
    assert {*folder.iterdir()} == {first, first.with_suffix(".sha256")}


def test_a_change_of_what_it_depends_on_makes_another_beside_it(source: Path, tmp_path: Path) -> None:
    first = build_reader(tmp_path / "made", source)
    source.write_text(source.read_text(encoding="utf-8") + "\n/* changed */\n", encoding="utf-8")
    second = build_reader(tmp_path / "made", source)
    assert {*second.parent.glob("*.so")} == {first, second}


def test_a_broken_library_is_rebuilt(source: Path, tmp_path: Path) -> None:
    library = build_reader(tmp_path / "made", source)
    whole = library.read_bytes()
    library.write_bytes(whole[:5000])
    assert build_reader(tmp_path / "made", source) == library
    assert library.read_bytes() == whole
    library.with_suffix(".sha256").unlink()
    assert build_reader(tmp_path / "made", source) == library
    assert library.with_suffix(".sha256").exists()


def test_the_compiler_is_that_of_cc_with_its_options(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "cc -DNDEBUG '-DNAME=a b'")
    assert difference(build_reader(tmp_path / "a folder", source)) == ""
    monkeypatch.setenv("CC", "cc '")
    with pytest.raises(ReaderUnusable, match="CC=cc '"):
        build_reader(tmp_path / "another", source)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ReaderUnusable, match="no C compiler 'no-such-compiler'"):
        build_reader(tmp_path / "another", source)


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("most_anchor_characters = most[0];", "most_anchor_characters = most[0] - 1;"),
        ("c == 0xed ? 0x9f", "c == 0xed ? 0xbf"),
        ("if (fragment != NULL &&", "if (0 &&"),
        ("return at[1] == 0x9a", "return at[1] == 0x9b"),
        ("? NULL : at;", "? NULL : NULL;"),
        ("if (between)", "if (0)"),
        ("    FUNCTIONS(ADDRESS)\n", "    void (*more)(void); FUNCTIONS(ADDRESS)\n"),
    ],
    ids=["length", "surrogate", "fragment", "space", "hidden", "between", "crash"],
)
def test_a_library_that_reads_differently_is_not_used(source: Path, tmp_path: Path, right: str, wrong: str) -> None:
    header = source.with_name("text_blocks.h")  # the compiler looks here first
    header.write_text(SOURCE.with_name(header.name).read_text(encoding="utf-8"), encoding="utf-8")
    texts = {file: file.read_text(encoding="utf-8") for file in (source, header)}
    assert any(right in text for text in texts.values())
    for file, text in texts.items():
        file.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ReaderUnusable, match="checking ended with code"):
        build_reader(tmp_path / "made", source)
    assert [*(tmp_path / "made").iterdir()] == []


@pytest.mark.parametrize("wrong", ["node_next_noi(page)", "node_next_noi(at, at)", "node_next_of(at)"])
def test_a_call_that_lexbors_declarations_do_not_allow_does_not_compile(
    source: Path, tmp_path: Path, wrong: str
) -> None:
    text = source.read_text(encoding="utf-8")
    assert "lxb_dom_node_next_noi(at)" in text
    source.write_text(text.replace("lxb_dom_node_next_noi(at)", f"lxb_dom_{wrong}"), encoding="utf-8")
    with pytest.raises(ReaderUnusable, match="compiling ended with code"):
        build_reader(tmp_path / "made", source)


def test_our_declarations_are_those_of_lexbors_own_headers() -> None:
    """A second declaration of another type is an error. LEXBOR_HEADERS: of the version inside selectolax."""
    headers = os.environ.get("LEXBOR_HEADERS")
    if headers is None:
        pytest.skip("LEXBOR_HEADERS is not set; .ci/run fetches them")
    declarations = SOURCE.with_name("lexbor_functions.h").read_text(encoding="utf-8")
    command = ["cc", "-std=c11", "-fsyntax-only", "-I", headers, "-include", "lexbor/html/html.h", "-x", "c", "-"]

    def compile_behind(text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, input=text, capture_output=True, text=True)

    done = compile_behind(declarations)
    assert done.returncode == 0, done.stderr
    assert "conflicting types" in compile_behind(declarations.replace("lxb_tag_id_t lxb_dom", "int lxb_dom")).stderr


def test_a_compile_error_is_reported_in_the_compilers_words(source: Path, tmp_path: Path) -> None:
    source.write_text("int x = ;", encoding="utf-8")
    with pytest.raises(ReaderUnusable, match="compiling ended with code"):
        build_reader(tmp_path / "made", source)


def test_a_folder_that_cannot_be_made_is_reported(source: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReaderUnusable, match="file"):
        build_reader(tmp_path / "file" / "made", source)


# --- whether it is used -------------------------------------------------------------------------


def test_a_crawl_uses_it_unless_told_otherwise() -> None:
    assert parser_config(Settings()).reader == str(compiled_reader())
    assert parser_config(Settings(parsing=ParsingSettings(compiled=False))).reader == ""


def test_a_crawl_without_it_reads_by_python_and_says_once_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As where a hardened installation has neither a compiler nor a place to write to."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("CC", "no-such-compiler")
    reader = partial(compiled_reader, tmp_path / "file")
    monkeypatch.setattr("hinterland.crawler.parsing.pool.config.reader_to_use", reader)
    with caplog.at_level(logging.WARNING):
        found = parser_config(Settings())
    assert PageDigester(found)._read is read_elements
    (said,) = caplog.messages
    assert said.startswith("parsing pages in Python, which is slower")
    assert f"{sys.executable} -m hinterland.crawler.parsing.compiled" in said


def test_a_crawl_compiles_nothing(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ReaderUnusable, match="was not built for this version"):
        compiled_reader(tmp_path / "made", source)
    assert not (tmp_path / "made").exists()
    first = build_reader(tmp_path / "made", source)
    assert compiled_reader(tmp_path / "made", source) == first
    source.write_text(source.read_text(encoding="utf-8") + "\n/* changed */\n", encoding="utf-8")
    with pytest.raises(ReaderUnusable, match="was not built for this version"):
        compiled_reader(tmp_path / "made", source)


def test_a_command_builds_it_where_crawls_look_and_says_why_it_cannot(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main() == 0
    assert capsys.readouterr().out == f"{compiled_reader()}\n"
    monkeypatch.setenv("CC", "no-such-compiler")
    build = partial(build_reader, tmp_path, source)
    monkeypatch.setattr("hinterland.crawler.parsing.compiled.__main__.build_reader", build)
    assert main() == 1
    assert capsys.readouterr().err == "there is no C compiler 'no-such-compiler'; install one, or set CC to yours\n"


def test_without_a_compiler_python_reads_pages_and_the_user_learns_why(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unusable() -> Path:
        raise ReaderUnusable("there is no C compiler 'cc'")

    monkeypatch.setattr("hinterland.crawler.parsing.pool.config.reader_to_use", unusable)
    with caplog.at_level(logging.WARNING):
        assert parser_config(Settings()).reader == ""
    assert "no C compiler 'cc'" in caplog.text
    assert "parsing.compiled=false" in caplog.text


def _compare(html: bytes, url: str) -> None:
    resolver = LinkResolver(CANONICALISER)
    parsed(
        html,
        url=url,
        content_type="text/html; charset=utf-8",
        resolver=resolver,
        agent="Hinterland",
        with_paths=True,
        with_parts=True,
    )
