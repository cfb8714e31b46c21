"""Sites that say nothing until their scripts have run: a small application, and pages that misbehave in a browser."""

from __future__ import annotations

import json
from typing import Final

from tests.support.web import ANY_PATH, Answer, Exchange, LoopbackWeb

APP: Final = "app.test"
OTHER: Final = "cdn.test"
ROUTES: Final = ("/", "/about", "/items", "/items/1", "/items/2", "/hidden")
"""Of the application; each is the same shell to clients that do not run its script."""

_SHELL: Final = """<!doctype html><html lang="en"><head><title>App</title>
<link rel="stylesheet" href="/style.css"></head><body>
<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div>
<img src="/logo.png"><script type="module" src="{script}"></script></body></html>"""

_APP: Final = """
const root = document.getElementById("root");
const show = (title, links) => {
  document.title = title;
  root.innerHTML = `<h1>${title}</h1>` + links.map((link) => `<a href="${link}">to ${link}</a>`).join(" ");
  for (const each of root.querySelectorAll("a"))
    each.onclick = (event) => { event.preventDefault(); history.pushState({}, "", each.href); route(); };
};
const load = async (path) => (await fetch(path)).json();
const route = async () => {
  const path = location.pathname;
  if (path === "/") show("Home", ["/about", "items"]);
  else if (path === "/about") setTimeout(() => show("About", ["/old"]), 20);
  else if (path === "/old") location.replace("/items");
  else if (path === "/items") show("Items", (await load("/api/items.json")).map((id) => "/items/" + id));
  else if (path === "/items/2") {
    let links = [];
    try { links = await load("/api/private/2.json"); } catch { links = ["/hidden"]; }
    show("Item 2", links);
  } else show("Item " + path.split("/").pop(), []);
};
route();
"""


def application(web: LoopbackWeb) -> str:
    """Defines it; its seed. The script is another host's, data of its own are fetched, some of it a robots.txt
    forbids."""
    web.robots(APP, "User-agent: *\nDisallow: /api/private/\n")

    async def shell(exchange: Exchange) -> None:
        await Answer(_SHELL.format(script=web.url(OTHER, "/app.js")).encode())(exchange)

    web.answer(APP, ANY_PATH, shell)
    web.answer(APP, "/api/items.json", Answer(json.dumps([1, 2]).encode(), content_type="application/json"))
    web.answer(APP, "/api/private/2.json", Answer(b'["/leaked"]', content_type="application/json"))
    web.redirect(OTHER, "/app.js", "/v1/app.js")
    web.answer(OTHER, "/v1/app.js", Answer(_APP.encode(), content_type="text/javascript"))
    return web.url(APP, "/")


BAD: Final = "bad.test"
INNER: Final = "inner.test"
"""A host at an address that the crawl may not dial."""
INNER_ADDRESS: Final = "127.0.0.2"

_MISBEHAVIOUR: Final = {
    "/reloads": "setInterval(() => location.reload(), 5); location.href = location.href + '#x';",
    "/windows": """for (let i = 0; i < 50; i++) open("/window/" + i);
        setInterval(() => alert("hello"), 10); onbeforeunload = () => "stay"; print();""",
    "/downloads": """for (const name of ["/file.zip", URL.createObjectURL(new Blob(["x".repeat(1e6)]))]) {
        const a = document.createElement("a"); a.href = name; a.download = "file"; document.body.append(a); a.click(); }
        document.body.append(Object.assign(document.createElement("iframe"), {src: "/frame.zip"}));""",
    "/inner": """const at = "//{inner}/";
        for (const name of ["script", "img", "iframe", "video", "audio", "embed"])
          document.body.append(Object.assign(document.createElement(name), {{src: at + name}}));
        for (const rel of ["stylesheet", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "icon", "manifest"])
          document.head.append(Object.assign(document.createElement("link"), {{rel, href: at + rel}}));
        fetch(at + "fetch", {{mode: "no-cors"}}); fetch(at + "post", {{method: "POST", mode: "no-cors"}});
        navigator.sendBeacon(at + "beacon"); new EventSource(at + "events"); new WebSocket("ws:" + at + "socket");
        open(at + "window"); new Image().src = "http://{inner}/image";
        const peer = new RTCPeerConnection({{iceServers: [{{urls: "stun:{udp}"}}]}});
        peer.createDataChannel("x"); peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        new Worker(URL.createObjectURL(new Blob([`fetch("http:${{at}}worker"); new WebSocket("ws:${{at}}work")`])));
        try {{ navigator.serviceWorker.register("/worker.js"); }} catch {{}}""",
    "/asks": "let n = 0; setInterval(() => { for (let i = 0; i < 20; i++) fetch('/more/' + n++); }, 1);",
}


def misbehaving(web: LoopbackWeb, udp: str) -> list[str]:
    """Defines pages that are shells and worse; their URLs. Each has, after its script, a link that the script wrote.
    The web listens at INNER_ADDRESS, too. udp: a name and port there."""
    web.robots(BAD, "")
    web.answer(BAD, ANY_PATH, Answer(b"x", content_type="application/octet-stream"))
    web.answer(web.host(INNER, INNER_ADDRESS), ANY_PATH, Answer(b"secret", content_type="text/javascript"))

    def define(path: str, script: str) -> str:
        written = f'document.body.insertAdjacentHTML("beforeend", `<a href="/found{path}">x</a>`);'
        html = f'<body><div id="root"></div><script>{written}{script}</script></body>'
        return web.answer(BAD, path, Answer(html.encode()))

    inner = _MISBEHAVIOUR["/inner"].format(inner=f"{INNER_ADDRESS}:{web.port}", udp=udp)
    return [define(path, inner if path == "/inner" else script) for path, script in _MISBEHAVIOUR.items()]
