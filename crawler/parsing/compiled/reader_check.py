"""Checks, as `python -m MODULE LIBRARY`, that a compiled reader returns the same as `read_elements`.

It runs in a separate process, because an incompatible library may crash.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from hinterland.crawler.parsing.blocks.text_blocks import PlacesReader, text_places
from hinterland.crawler.parsing.compiled.element_reader import CompiledReader
from hinterland.crawler.parsing.compiled.text_places import CompiledPlaces
from hinterland.crawler.parsing.html.html_source import HtmlSource
from hinterland.crawler.parsing.html.page import parse_page
from hinterland.crawler.parsing.html.page_elements import DOCUMENT_OPTIONS, HIDDEN_TAGS, ElementsReader, read_elements
from hinterland.crawler.parsing.html.parsed_page import ParsedPage, VisibleText
from hinterland.crawler.urls.canonical import Canonicaliser
from hinterland.crawler.urls.resolving import LinkResolver

URLS: Final = ("http://a.example/dir/page?q=/", "https://a.example/")

_HREFS: Final = """
    . .. ./ ../ ../.. ../../x ./../x .//x ..x .x x/. x/.. x/./y x/.z x//y /x /x/ // //h/x /.x /../x ? ?x #x x?y
    x?utm_source=y page?q=/ page?q=/#x page X%41 x%7e é?é x;y x:y x@y x=y~(z)*!$&+, mailto:x javascript:x http:x
    http:/x http:///x HTTP://h/x http://h http://h/x http://H/x https://h-i.example/x?y http://h.example/x#y
    http://h.example/./x http://h.example:80/ http://h.example./x http://1.2.3.4/x http://h.4/x http://h.0x4/x
    http://xn--9ca/x http://h..i/x http://-/x http://h_i/x http://u@h/x
"""
HREFS: Final = (
    *_HREFS.split(),
    f"http://{'h' * 63}.example/x",
    f"http://{'h' * 64}.example/x",
    "l" * 100,
    "  x  ",
    "\nx",
    "x\ny",
    "",
)

NEARLY_UTF8: Final = """
c080 c1bf e09fbf e0a080 ed9fbf eda080 f08fbfbf f0908080 f48fbfbf f4908080 f5808080 e282 f09f95 80 ff
"""

SAMPLES: Final[tuple[str | bytes, ...]] = (
    "",
    "plain",
    # what a page says about itself
    """<!doctype html><html lang=en><title> A  title </title><meta name=description content='d  e'>
    <link rel='x CANONICAL' href=c><link rel=stylesheet href=s><link rel="alternate\tnext" href=n>
    <meta http-equiv=refresh content='1; r'><body><title>no</title><map><area href=m alt=' m '></map>""",
    "<svg><title>drawing</title><a xlink:href=x href=y>s</a></svg><math><a href=m>m</a></math><title>late</title>",
    """<svg><g><a xlink:href=x><text>one</text></a><a href=y xlink:href=z>two</a><foreignObject><a xlink:href=w>w</a>
    </foreignObject></g></svg><a xlink:href=no>no</a>
    <a href='w #x'>s</a><a href=' #x'>s</a><a href=#x>s</a><object data=o type=text/html>else</object><embed src=e>""",
    """<div><template shadowrootmode=open>no <template shadowrootmode=open>no</template></template><template>no
    </template><template shadowrootmode=none id=i><a href=no>no</a></template>yes</div>""",
    # blocks of text, and words divided by inline elements
    """<title>On ferries</title><body class='page home'><nav id=top><ul><li><a href=a>One</a><li><a href=b>Two</a></ul>
    </nav><main role=main><h1>On ferries</h1><p>A <b>f</b>erry le<wbr>aves, at 8. <a href=c>Dog</a>s, <span>x</span>
    <span>y</span> <span>Ünd</span>er<sup>1</sup> 2<i>3</i> a<br>b<br><br>c<pre>\n  one\n\n\n<span>two</span>
    <div>three</div>four\n </pre></main><div class='sidebar AD' style='color:red; Display :\tNone'>hidden</div>
    <div hidden>gone</div><p aria-hidden=true>gone</p><div role=' Search '><label>Find</label><button>Go</button></div>
    <!-- no -->a<!-- no -->b<span>x</span><span>y</span>
    <footer>Ende.</footer>""",
    """<?x y><title>t</title>one<?php echo 1 ?>two<p>th<?xml:namespace prefix = o />ree<?x><h2>four</h2><?x y?><h2>five
    <?x></h2><pre>a<?x?>b</pre><a href=x><?x?></a><table><?x?><tr><?x?><td>six</table><svg><?x?></svg>""",
    "<noscript><article><p>" + "Read without scripts. " * 30 + "</article></noscript><p>Enable scripts",
    "<noscript><p>Enable scripts</noscript><table><tr><td>" + "c<td>" * 40,
    "".join(f"<div class=card><h2>Card {n}</h2><p>Text, {n}！ 文。字、{n}</p></div>" for n in range(40)),
    "<p class=nav>x <a href=y>y</a><pre>\na\n\n\r b</pre>" * 2600,  # more blocks than are judged
    # text and headings
    """<body>one<h1> Head\n<em>ing</em></h1><p>two <script>no</script>three<noscript>no <a href=seen>seen</a>
    </noscript><iframe src=i>no</iframe><video>no <p>no</p></video> four<table>five<tr><td> six </table>""",
    "<h1>one<div> o<b>n</b>e<h2>two <div><h3>three</h3></div> two</h2><i>one</i></div>four<div><h4>five</div>",
    f"<h1>{'lóng ' * 1500}</h1><h2>{'m' * 5001}<h3>{'n' * 4999} nn</h3><h4>{'<i>o o</i>' * 5000}</h4>",
    b"<h1>\xc2<h2><div>\xa0<h3>\x80</h3>\xc2</div></h2>\xa0x<h4><div><h5>" + b"\x80" * 9000,
    f"<title>{'t ' * 600}</title>",
    # anchors of headings
    """<h1 id=a>1</h1><h2><a name=b></a>2</h2><h2><i><span id=c>3</span></i></h2><section id=d><div><h2>4</h2></div>
    <h3>4.1</h3></section><a name=e><!-- --></a> <!-- --> <h2>5</h2><span id=f></span>x<h2>6</h2><p id=g></p>&nbsp;
    <h2>7</h2><div name=h></div><h2 id>8</h2><div id=i><p>x</p></div><h2>9</h2><div id=j> <h2 id=''>10</h2></div>
    <h2>11<h3 id='k k'>11.1</h3></h2><h4 id='lóng'>12</h4><svg id=l><a name=m></a></svg><h5>13</h5>""",
    "<div id=far>" + "<div>" * 9 + "<h2>1</h2>" + "</div>" * 9 + "<h2>" + "<b></b>" * 9 + "<i id=in>2</i></h2>",
    f"<h1 id={'l' * 200}>1</h1><h1 id={'m' * 201}>2</h1><h2 id=' '>3</h2><h1>4<h2 name=n>5<a name=o></a></h2></h1>",
    b"<h1 id='\xff'>1</h1><section id='x\xe2\x82'><h1>2</h1></section>",
    "<h2>\u00a0</h2><h6>\u2003x\u3000\u205fy\u1680\u0085z\u202f\x1f!</h6><unknown-element a=1>u\0v",
    "<!doctype html><p><a href=x>a table ends the paragraph<table><tr><td>but in quirks mode</table>",
    "<template>no <a href=no>no</a></template>" + "<div>" * 300 + "deep<a href=d>d",
    "<frameset><frame src=one><frame src=two><noframes><a href=no>no</a></noframes></frameset>",
    "<a><script>no</script>no<frameset><frame src=x>",
    # anchors
    """<a href=x><b>to</b> x</a><a href=x>again</a><a href=./x>again</a><a rel='me NoFollow' href=y></a>
    <a href=y> <i></i><img alt=''><img alt=' a  picture '></a><a href=y>again</a><a>no</a><a name=n>no</a>
    <a rel=x href=http://:/>bad</a><a rel=x href=http://:/#f>again</a>""",
    f"<a href=l>{'lóng ' * 100}</a><a href=m>{'m' * 301}</a><a href=n>{'n' * 299} nn</a>",
    "".join(f"<a href=p{n % 600} {'rel=nofollow' * (n % 3)}>{n}</a>" for n in range(1200)),
    # the elements around anchors
    """<main class=' wide  narrow'><nav id=menu class><a href=a>a</a><ul id=é class='x\vy'><li><a href=b>b</a></ul>
    <x-y class='\u00a0z' id=i><a href=a class=own>a</a></x-y></nav><p id=''><a href=c><img></a><svg><g class=g>
    <a href=d>d</a></svg></main>""",
    f"<{'n' * 40} class={'c' * 40}><{'m' * 41} class={'d' * 41} id=i><p id={'e' * 41}><a href=x>x",
    "".join(f"<div class=c{n}>" for n in range(30)) + "<a href=x>x</a></div><a href=y>y",
    # hrefs
    "".join(f"<a href='{href}'>{number}</a>" for number, href in enumerate(HREFS)),
    "<a href=#y>y</a><a href=x>x</a><base target=x><base href=/b/><base href=/c/><a href=y>y</a>",
    "<base href='http://b.example/'><a href=''>x</a><a href=x>x</a><a href=http://c.example/x>x</a>",
    "<a href=/>home</a><a href=x>x</a>",
    # what a page loads, and the anchors to which links can lead
    """<p id=a><p id><a name=b id=c href='x#y '>1</a><a href=#>2</a><area href='?q#z'><link href=l#m>
    <b name=no id='d e'><img src=i id=f><IMG alt><svg><image xlink:href=k /><use href=u /><feImage href=v />
    <style>p{}</style></svg>
    <input type=image src=w><table background=t><td style='color:red'><td style='background:url(s)'><div data-bg=b>
    <style></style><style media=x>a { b: c }</style><script></script>
    <script type=' Application/LD+JSON '>{"a": 1}</script><script type='application/ld+json x'>no</script>
    <script type=application/ld+json></script><iframe srcdoc='<img>'>
    <template><img src=no id=no></template><noscript><img src=n></noscript><video poster=p><source srcset='a 1x'>""",
    b"<p id='\xff\xfe'><a href='\xc2#\xc2'><style>\x80</style><img alt='\xe2\x80'>",
    # not UTF-8
    *(b"<p>x" + bytes.fromhex(octets) + b"y" for octets in NEARLY_UTF8.split()),
    b"<a href='http://\xff:/'>x</a><a href='http://\xfe:/'>x</a>",
    b"\xff<a href='\xe2\x82'>\x80 \xc2 x\xe2\x80</a><h3>\xf0\x9f</h3>\xc3<h4>\xc2<b>\xa0x",
    b"<a href=x>" + b"\x80" * 400 + b"</a>",
    b"<a href=x>" + b"\x80" * 9000 + b"</a><a href=y>" + b" \xe2\x80" * 9000 + b"</a>",
    "".join(f"<a href={n}><table><td>" for n in range(40)) + "<i> x </i>" * 3000,
)


def difference(path: Path) -> str:
    """Return, in words, where the compiled reader in the library `path` first differs from the Python reader, or "".

    Raises OSError or AttributeError if the library cannot be used.
    """
    compiled, places = CompiledReader(path), CompiledPlaces(path)
    for sample in SAMPLES:
        html = sample.encode() if isinstance(sample, str) else sample
        if different_places(html, places):
            return f"the text nodes of {html[:60]!r} are placed otherwise"
        for url in URLS:
            expected, found = _parsed(html, url, read_elements), _parsed(html, url, compiled)
            if found != expected:
                return f"{html[:60]!r} is read as {found}, not {expected}"
    return ""


def different_places(html: bytes, places: PlacesReader) -> bool:
    """Return whether `places` and text_places find different positions of a page's text nodes."""
    body = LexborHTMLParser(HtmlSource(html, "text/html; charset=utf-8").readable, options=DOCUMENT_OPTIONS).body
    if body is None or body.parent is None:
        return False
    found, expected = places(body, HIDDEN_TAGS), text_places(body, HIDDEN_TAGS)
    names = ("nodes", "starts", "block_starts", "block_kinds")
    same = all(list(getattr(found, name)) == list(getattr(expected, name)) for name in names)
    return not same or found.size != expected.size


def _parsed(html: bytes, url: str, read: ElementsReader) -> tuple[ParsedPage, VisibleText]:
    canonicaliser = Canonicaliser(max_length=90, drop_parameters=["utm_*"])
    return parse_page(
        HtmlSource(html, "text/html; charset=utf-8"),
        url=url,
        resolver=LinkResolver(canonicaliser),
        agent="Hinterland",
        with_paths=True,
        with_parts=True,
        read=read,
    )


def main() -> int:
    """Print the first difference between the readers in C and in Python, if there is one; return the exit code."""
    found = difference(Path(sys.argv[1]))
    if found:
        print(found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
