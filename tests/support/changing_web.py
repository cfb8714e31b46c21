"""A host whose pages change between one look and the next, served with validators as careful servers do."""

from __future__ import annotations

from hashlib import sha256

from tests.support.web import HTML, Answer, Exchange, LoopbackWeb

TEXT = "<title>Walks</title><main><p>Take the path along the river until the {} mill.</p>{}</main>"


class Documents:
    """Pages with validators, as a careful server has them; None is gone (404)."""

    def __init__(self, web: LoopbackWeb, **pages: str) -> None:
        self.web = web
        self.pages: dict[str, str | Answer | None] = {f"/{name}": html for name, html in pages.items()}
        self.etags = True
        web.answer("a.test", "*", self)

    def __setitem__(self, name: str, html: str | Answer | None) -> None:
        self.pages[f"/{name}"] = html

    async def __call__(self, exchange: Exchange) -> None:
        page = self.pages.get(exchange.request.path.removesuffix("/") or "/home")
        if not isinstance(page, str):
            await (page or Answer(b"not here", 404, "text/plain"))(exchange)
            return
        tag = f'"{sha256(page.encode()).hexdigest()[:8]}"' if self.etags else ""
        if self.etags and exchange.request.headers.get("if-none-match") == tag:
            await exchange.send(Answer(b"", 304, None, {"ETag": tag, "Content-Length": ""}).head())
            return
        await Answer(page.encode(), 200, HTML, {"ETag": tag})(exchange)


def home(*names: str) -> str:
    return "<title>Home</title><main>" + "".join(f"<a href=/{name}>About {name}</a>" for name in names) + "</main>"
