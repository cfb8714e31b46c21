"""An audit as one self-contained HTML file: it loads no script, font or image. Pure.

Whatever comes from the web is escaped. It becomes a link only if it is an http or https URL of visible characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from hinterland.library.audit.finding import AuditReport, Example, Finding, State, Trend
from hinterland.library.audit.kinds import Group, Severity
from hinterland.library.audit.reports.html_style import STYLE
from hinterland.library.audit.reports.words import (
    PLURALS,
    comparison_words,
    gone,
    in_order,
    share,
    unsaid,
    weight_words,
)
from hinterland.library.text.wording import counted, moment, number, printable, shortened

_LONGEST: Final = 300
_LONGEST_URL: Final = 2_000
_HOSTS: Final = 10
_MOST_HOSTS: Final = 100
"""In the table of hosts."""
_NAMED: Final = 3
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_report(report: AuditReport) -> str:
    """Return the report as an HTML page."""
    return "\n".join(_page(report)) + "\n"


def _page(report: AuditReport) -> Iterator[str]:
    site = _site(report)
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f'<meta name="robots" content="noindex"><title>Audit of {_text(site)}</title>'
    yield f"<style>{STYLE}</style></head><body>"
    yield '<a class="skip" href="#findings">Skip to the findings</a>'
    yield f"<header><h1>Audit of {_text(site)}</h1>"
    name = report.store.rpartition("/")[2]
    yield f'<p class="quiet">{_text(moment(report.at))}, from the store {_text(name)}</p></header><main>'
    yield from _tiles(report)
    yield from _coverage(report)
    yield from _overview(report)
    yield from _by_host(report)
    yield from body_parts(report)
    yield "</main></body></html>"


def _site(report: AuditReport) -> str:
    """Return the names of the hosts or, if the report has no hosts, the name of the store."""
    names = [host.partition("://")[2] for host in report.hosts]
    more = f" and {counted(len(names) - _NAMED, 'more host')}" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more if names else report.store


def body_parts(report: AuditReport) -> Iterator[str]:
    """Yield the markup of all findings by group, of rules that could not be judged, and of rules without faults."""
    for group in Group:
        found = [each for each in report.of(group) if each.state is State.FOUND]
        if found:
            yield f"<section><h2>{_text(group.value)}</h2>"
            for finding in found:
                yield from _finding(finding)
            yield "</section>"
    yield from _list("Not said", "What this audit says nothing about, and why.", unsaid(report))
    yield from _list("Gone", "What the earlier audit found, and this one does not.", gone(report))
    yield from _list("In order", "What was looked at without finding a fault.", in_order(report))


def _tiles(report: AuditReport) -> Iterator[str]:
    yield '<dl class="tiles">'
    for severity, count in report.counts().items():
        name = severity.value if count == 1 else PLURALS[severity]
        colour = severity.value if count else "good"
        yield f'<div><dt>{name}</dt><dd class="{colour}">{number(count)}</dd></div>'
    yield f"<div><dt>pages read</dt><dd>{number(report.coverage.pages)}</dd></div>"
    passed = len(report.in_state(State.NONE))
    yield f"<div><dt>of {len(report.findings)} rules in order</dt><dd>{number(passed)}</dd></div>"
    left = len(report.in_state(State.NOT_YET)) + len(report.in_state(State.NOT_LOOKED_AT))
    yield f"<div><dt>{'rule' if left == 1 else 'rules'} not said</dt><dd>{number(left)}</dd></div></dl>"


def _coverage(report: AuditReport) -> Iterator[str]:
    kind = "box" if report.coverage.is_whole else "box partial"
    yield f'<section class="{kind}" aria-label="How complete the crawl is">'
    yield from (f"<p>{_text(line)}</p>" for line in report.coverage.lines())
    if report.compared_with is not None:
        yield f"<p>Compared with the audit of {_text(moment(report.compared_with))}.</p>"
    yield "</section>"


def _overview(report: AuditReport) -> Iterator[str]:
    yield '<section><h2 id="findings">What matters most</h2>'
    if not report.found():
        yield '<p class="good">No fault was found by the rules that could be checked.</p></section>'
        return
    web = report.knows_web_ranks
    yield '<div class="table" tabindex="0" role="region" aria-label="Findings by weight"><table>'
    by = "" if web else ", by its own links"
    yield f"<caption>The gravest first. The share is what they concern of the site's PageRank{by}.</caption>"
    yield '<thead><tr><th scope="col">Finding</th><th scope="col">Kind</th><th scope="col" class="num">Faults</th>'
    yield f'<th scope="col" class="num">Share{" as the site sees it" if web else ""}</th>'
    if web:
        yield '<th scope="col" class="num">as the web sees it</th>'
    if report.compared_with is not None:
        yield '<th scope="col">Since the last audit</th>'
    yield "</tr></thead><tbody>"
    for finding in report.found():
        rule, weight = finding.rule, finding.weight
        cells = [
            f'<th scope="row"><a href="#{rule.name}">{_text(rule.title)}</a></th>',
            f'<td class="tag {rule.severity}">{rule.severity}</td>',
            f'<td class="num">{number(finding.count)}</td><td class="num">{share(weight.site)}</td>',
        ]
        if web:
            cells.append(f'<td class="num">{"" if weight.web is None else share(weight.web)}</td>')
        if report.compared_with is not None:
            cells.append(f"<td>{_text(comparison_words(finding))}</td>")
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div></section>"


def _by_host(report: AuditReport) -> Iterator[str]:
    """Yield a table of the hosts, if there are several."""
    counts = report.counts_by_host()
    if len(counts) < 2:
        return
    yield '<section><h2>By host</h2><div class="table" tabindex="0" role="region" aria-label="Faults by host"><table>'
    left = f"; the first {_MOST_HOSTS} of {number(len(counts))}" if len(counts) > _MOST_HOSTS else ""
    yield f"<caption>Those with the most errors first{left}.</caption>"
    heads = ("Pages read", *(PLURALS[severity].capitalize() for severity in Severity))
    cells = "".join(f'<th scope="col" class="num">{head}</th>' for head in heads)
    yield f'<thead><tr><th scope="col">Host</th>{cells}</tr></thead><tbody>'
    for host, of_host in list(counts.items())[:_MOST_HOSTS]:
        values = (report.pages_of_hosts.get(host, 0), *of_host.values())
        cells = "".join(f'<td class="num">{number(value)}</td>' for value in values)
        yield f'<tr><th scope="row"><bdi>{_text(host)}</bdi></th>{cells}</tr>'
    yield "</tbody></table></div></section>"


def _finding(finding: Finding) -> Iterator[str]:
    rule = finding.rule
    word = rule.severity.value if finding.count == 1 else PLURALS[rule.severity]
    yield f'<article aria-labelledby="{rule.name}">'
    yield f'<h3 id="{rule.name}">{_text(rule.title)}</h3>'
    counted_faults = f'<span class="tag {rule.severity}">{number(finding.count)} {word}</span>'
    yield f"<p>{counted_faults}, {_text(weight_words(finding))}</p>"
    if told := comparison_words(finding):
        yield f"<p>Since the earlier audit: {_text(told)}.</p>"
    if finding.why:
        yield f'<p class="quiet">{_text(finding.why)}</p>'
    yield f"<p>{_text(rule.why)} <strong>{_text(rule.mend)}</strong></p>"
    if len(finding.by_host) > 1:
        hosts = list(finding.by_host.items())
        told = ", ".join(f"{host} {number(count)}" for host, count in hosts[:_HOSTS])
        more = f", and {counted(len(hosts) - _HOSTS, 'more host')}" if len(hosts) > _HOSTS else ""
        yield f'<p class="quiet">By host: {_text(told)}{more}</p>'
    yield "<ol>"
    for example in finding.examples:
        yield f"<li>{_example(example)}</li>"
    yield "</ol>"
    if finding.count > len(finding.examples):
        left = finding.count - len(finding.examples)
        yield f'<p class="quiet">and {number(left)} more; a report in CSV lists them all</p>'
    yield "</article>"


def _example(example: Example) -> str:
    new = '<span class="tag error">new</span> ' if example.trend is Trend.NEW else ""
    note = f' <span class="quiet">{_text(shortened(example.note, _LONGEST))}</span>' if example.note else ""
    causes = "".join(
        f"<li>on {_link(cause.url)}"
        + (f" “<bdi>{_text(shortened(cause.anchor, 100))}</bdi>”" if cause.anchor else "")
        + "</li>"
        for cause in example.causes
    )
    if example.causing_pages > len(example.causes):
        causes += f"<li>and on {counted(example.causing_pages - len(example.causes), 'more page')}</li>"
    return f"{new}{_link(example.url)}{note}" + (f"<ul>{causes}</ul>" if causes else "")


def _list(title: str, what: str, lines: Iterator[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield f'<section><h2>{title}</h2><p class="quiet">{what}</p><ul>'
        yield from (f"<li>{_text(line)}</li>" for line in found)
        yield "</ul></section>"


def _link(url: str) -> str:
    shown = _text(shortened(url, _LONGEST))
    is_safe = url.lower().startswith(("http://", "https://")) and url.isprintable() and " " not in url
    if not is_safe or len(url) > _LONGEST_URL:
        return f"<bdi>{shown}</bdi>"
    return f'<a href="{escape(url)}" rel="noreferrer nofollow"><bdi>{shown}</bdi></a>'


def _text(text: str) -> str:
    """Return untrusted text as HTML, in one line and without invisible characters."""
    return escape(printable(" ".join(text.split())))
