"""`audit`: finds what is wrong with a site from the store of its crawl."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hinterland.cli.command_parser import CommandParser, add_plugin_option, add_settings_options, add_store, count
from hinterland.cli.exit_codes import FAULTS, OK
from hinterland.cli.output import Output, say
from hinterland.cli.progress_line import ProgressLine

if TYPE_CHECKING:
    from hinterland.library.audit.finding import AuditReport

_INTERVAL_SECONDS: Final = 1.0
_SUGGESTIONS: Final = 20
_FORMATS: Final = ("text", "html", "json", "csv", "markdown", "sarif", "junit")
_ENDINGS: Final = {
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".sarif": "sarif",
    ".xml": "junit",
    ".txt": "text",
}

EXAMPLES = """\
examples:
  python3 run.py audit
      what is wrong with the site in hinterland.db, the gravest first, and how much of the site that rests on
  python3 run.py audit site.db --out report.html
      a page to send to others: one file, without scripts
  python3 run.py audit site.db --out audit.sarif --fail-on error --fail-on redirect-chain=10
      in continuous integration: exit code 17 if there is any error, or more than ten chains of redirects
  python3 run.py audit site.db --out now.json --compare last.json --fail-on warning --only-new
      fail only for what is new since an earlier audit

The crawl should be complete: what an unfinished crawl cannot support is not said.
"""


def add_arguments(command: CommandParser) -> None:
    """Add the options of `audit`."""
    add_store(command)
    command.add_argument(
        "--out",
        metavar="FILE",
        help="write the report there; the ending sets the format: .html, .json, .csv, .md, .sarif, .xml (JUnit) or "
        ".txt",
    )
    command.add_argument("--format", choices=_FORMATS, help="the form of the report (default: by --out, or text)")
    command.add_argument("--rule", action="append", default=[], metavar="NAME", help="apply only this rule; repeatable")
    command.add_argument(
        "--examples", type=count, metavar="N", help="describe N faults of each rule (default: 3 as text, else 10)"
    )
    command.add_argument("--compare", metavar="FILE", help="compare with the JSON report of an earlier audit")
    command.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="NAME[=N]",
        help="end with exit code 17 if a rule has more than N faults (default: 0); NAME is a rule, or a severity"
        " (error, warning or notice) for all rules of this or a graver severity; repeatable",
    )
    command.add_argument(
        "--only-new", action="store_true", help="let --fail-on count only what --compare shows to be new"
    )
    command.add_argument(
        "--what-if",
        nargs=2,
        metavar=("FROM", "TO"),
        help="instead of a report, say what a link from one page of the site to another would do to their ranks",
    )
    command.add_argument(
        "--suggest-links",
        nargs="?",
        const=_SUGGESTIONS,
        type=count,
        metavar="N",
        help="instead of a report, list N links that the site lacks (default: 20): pages that name another one without "
        "linking to it, where a link would raise the more important pages most",
    )
    add_plugin_option(command)
    command.add_argument(
        "--check",
        action="store_true",
        help="first request, once each, the files that pages load and the pages of other hosts to which they link, as"
        " crawl --check-links does",
    )
    add_settings_options(command)
    command.add_argument("--list-rules", action="store_true", help="list the rules, and read no store")


def run(arguments: Namespace) -> int:
    """Audit a store and write the report; returns the exit code. Raises HinterlandError and NoStore."""
    # Imported only now, so that --help need not wait:
    from hinterland.crawler.parsing.compiled.freed_memory import limit_freed_memory
    from hinterland.library.audit.auditing import EXAMPLES as EXAMPLES_IN_FILES
    from hinterland.library.audit.auditing import audit
    from hinterland.library.audit.plugged_in import plugged_in_rules
    from hinterland.library.audit.reports.terminal import EXAMPLES as EXAMPLES_ON_TERMINAL
    from hinterland.library.audit.rules import RULES
    from hinterland.library.audit.thresholds import exceeded, threshold
    from hinterland.library.errors import HinterlandError, require_known

    output = Output(sys.stdout)
    if arguments.what_if is not None:
        _say_what_if(arguments.store, arguments.what_if, output)
        return OK
    if arguments.suggest_links is not None:
        _suggest_links(arguments.store, arguments.suggest_links, output)
        return OK
    rules = [*RULES, *plugged_in_rules(arguments.plugins)]
    by_name = {rule.name: rule for rule in rules}
    if arguments.list_rules:
        for rule in rules:
            output.write(f"{rule.name:24} {rule.severity:8} {rule.title}")
        return OK
    for name in arguments.rule:
        require_known("rule", name, list(by_name))
    chosen = [rule for rule in rules if not arguments.rule or rule.name in arguments.rule]
    thresholds = [threshold(each, list(by_name)) for each in arguments.fail_on]
    if arguments.only_new and arguments.compare is None:
        raise HinterlandError("--only-new needs --compare FILE, the JSON report of an earlier audit")
    form = arguments.format or _form_of(arguments.out)
    usual = EXAMPLES_ON_TERMINAL if form == "text" else EXAMPLES_IN_FILES
    if arguments.check:
        _check_links(arguments)
    limit_freed_memory()
    with ProgressLine(sys.stderr, _INTERVAL_SECONDS) as progress:
        report = audit(
            arguments.store,
            rules=chosen,
            examples=usual if arguments.examples is None else arguments.examples,
            compare_with=arguments.compare,
            on_step=progress.hint,
        )
    failing = list(exceeded(report, thresholds, only_new=arguments.only_new))
    pieces = _pieces(report, form, frozenset(each.rule for each in failing), arguments.store)
    _write(pieces, arguments.out, output)
    for each in failing:
        say(f"audit: {each.line}")
    return FAULTS if failing else OK


def _say_what_if(store: str, link: Sequence[str], output: Output) -> None:
    from hinterland.library.audit.what_if import what_if
    from hinterland.library.text.wording import printable

    source, target = link
    found = what_if(store, source, target)
    if found.is_there:
        output.write("the link is there already; nothing would change")
        return
    for each in (found.target, found.source, *found.moved):
        ratio = f"{each.after / each.before:.3f} times" if each.before else "from nothing"
        output.write(f"{100 * each.before:.4g} % -> {100 * each.after:.4g} % ({ratio})  {printable(each.url)}")


def _suggest_links(store: str, most: int, output: Output) -> None:
    from hinterland.library.audit.suggestions import suggestions
    from hinterland.library.text.wording import printable

    found = suggestions(store, most)
    if not found:
        output.write("every page that names another page by its title also links to it")
    for each in found:
        output.write(f"{100 * each.before:.4g} % -> {100 * each.after:.4g} %  {printable(each.target)}")
        output.write(f'    link to it from {printable(each.source)}, which says "{printable(each.words)}"')


def _check_links(arguments: Namespace) -> None:
    """Check the links of the store. Raises HinterlandError, SettingsError and NoStore."""
    from hinterland.cli.crawl.showing import display_of, recorded_arguments
    from hinterland.cli.settings_sources import read_settings
    from hinterland.library.crawls.crawl_run import run as crawled
    from hinterland.library.crawls.link_checking import CHECK_SETTINGS, checking_plan

    settings = read_settings(arguments, CHECK_SETTINGS)
    plan = checking_plan(arguments.store, settings, recorded_arguments(arguments.command_line))
    with display_of(plan, log_json=False) as display:
        display.ended(crawled(plan, display))


def _form_of(out: str | None) -> str:
    if out is None:
        return "text"
    from hinterland.library.errors import HinterlandError

    ending = Path(out).suffix.lower()
    if ending not in _ENDINGS:
        raise HinterlandError(
            f'--out {out}: no form is known for the ending "{ending}"; give --format {"|".join(_FORMATS)}'
        )
    return _ENDINGS[ending]


def _pieces(report: AuditReport, form: str, failing: frozenset[str], store: str) -> Iterator[str]:
    """Yield the report in pieces, each of which ends with a line break."""
    match form:
        case "html":
            from hinterland.library.audit.reports.html_report import html_report

            yield html_report(report)
        case "json":
            from hinterland.library.audit.reports.json_report import json_report
            from hinterland.library.text.wording import json_text

            yield json_text(json_report(report)) + "\n"
        case "csv":
            from hinterland.library.audit.reports.csv_report import csv_pieces

            yield from csv_pieces(report, Path(store))
        case "markdown":
            from hinterland.library.audit.reports.markdown import markdown_lines

            yield "".join(f"{line}\n" for line in markdown_lines(report))
        case "sarif":
            from hinterland.crawler import __version__
            from hinterland.library.audit.reports.sarif import sarif_report
            from hinterland.library.text.wording import json_text

            yield json_text(sarif_report(report, __version__)) + "\n"
        case "junit":
            from hinterland.library.audit.reports.junit import junit_report

            yield junit_report(report, failing)
        case _:
            from hinterland.library.audit.reports.terminal import terminal_lines

            examples = max((len(each.examples) for each in report.findings), default=0)
            yield "".join(f"{line}\n" for line in terminal_lines(report, examples))


def _write(pieces: Iterator[str], out: str | None, output: Output) -> None:
    if out is None:
        for piece in pieces:
            output.write(piece.removesuffix("\n").removesuffix("\r"))
        return
    from hinterland.library.errors import HinterlandError

    try:
        with Path(out).open("w", encoding="utf-8", errors="replace", newline="") as file:
            file.writelines(pieces)
    except OSError as error:
        raise HinterlandError(f"{out} cannot be written: {error.strerror}") from error
    say(f"the report is in {out}")
