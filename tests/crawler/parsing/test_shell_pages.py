from __future__ import annotations

import pytest

from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.parsing.html.shell_pages import is_shell, may_be_shell
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver

RESOLVER = LinkResolver(Canonicaliser())
SHORT = "A short page, but a whole one. "


def is_taken_for_one(html: str) -> bool:
    body = html.encode()
    page, _ = parse_page(HtmlSource(body, "text/html"), url="http://a.test/", resolver=RESOLVER, agent="x")
    return may_be_shell(page, body) and is_shell(body)


@pytest.mark.parametrize(
    "html",
    [
        '<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src=a>',
        '<body><div id="app"><!--app-html--></div><script type="module" src="/assets/index.js"></script>',
        '<body><app-root>\n</app-root><script src="main.js" type="text/javascript" defer></script>',
        '<body><div id="__next"><div class="spinner"></div></div><script type="application/json">{}</script><script>',
        '<body><div id="app">Loading …</div><noscript>Please activate JavaScript.</noscript><script>1</script>',
        "<script>document.write('<a href=/x>x</a>')</script>",
        '<body><div id="root"></div><footer><a href=/imprint>Imprint</a> <a href=/terms>Terms</a></footer><script>',
    ],
)
def test_a_page_that_waits_for_its_scripts_is_a_shell(html: str) -> None:
    assert is_taken_for_one(f"<!doctype html><title>Shop</title>{html}")


@pytest.mark.parametrize(
    "html",
    [
        '<body><div id="root"></div>',  # nothing will fill it
        '<body><div id="root"></div><script type="application/ld+json">{}</script>',
        f"<body><h1>News</h1><p>{SHORT}</p><script src=a></script>",
        f'<body><div id="toc"></div><h1>News</h1><p>{4 * SHORT}</p><script src=a></script>',
        f"<body><noscript>JavaScript, please</noscript><p>{9 * SHORT}</p><script src=a></script>",
        '<body><div id="x"></div><a href=1>1</a><a href=2>2</a><a href=3>3</a><a href=4>4</a><script src=a></script>',
        '<meta http-equiv="refresh" content="0; url=/new"><script>location = "/new"</script><div></div>',
        "<frameset><frame src=a><frame src=b><frame src=c><frame src=d></frameset><script src=a></script>",
        "<body>",
    ],
)
def test_a_page_that_says_something_is_not_a_shell(html: str) -> None:
    assert not is_taken_for_one(f"<!doctype html><title>Shop</title>{html}")


def test_what_scripts_styles_and_pictures_hold_is_not_shown() -> None:
    inside = "x" * 500
    html = f'<style>{inside}</style><template>{inside}</template><svg><text>{inside}</text></svg><div id="app"></div>'
    assert is_taken_for_one(f"<body>{html}<script>const x = '{inside}'</script>")
