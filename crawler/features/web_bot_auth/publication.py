"""The files by which a crawler identifies itself: its key directory, and a page for the owners of sites. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hinterland.crawler.features.web_bot_auth.signature import DIRECTORY_PATH, DIRECTORY_TYPE


def published_files(
    keys: Mapping[str, Sequence[Mapping[str, Any]]], *, name: str, agent: str, contact: str, purpose: str
) -> dict[str, str]:
    """Return the files to host at `agent`, by their path: the directory, a page, and header fields for static hosts.

    `name` is how the crawler calls itself in its User-Agent, `contact` an address to write to, and `purpose` what it
    crawls for, in a sentence.
    """
    return {
        DIRECTORY_PATH.lstrip("/"): json.dumps(keys, indent=1) + "\n",
        "index.html": _page(name, agent, contact, purpose),
        "_headers": f"{DIRECTORY_PATH}\n  Content-Type: {DIRECTORY_TYPE}\n  Cache-Control: max-age=3600\n",
    }


def _page(name: str, agent: str, contact: str, purpose: str) -> str:
    address = f'<a href="{escape(contact)}">{escape(contact.removeprefix("mailto:"))}</a>'
    shown = escape(name)
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{shown}, a web crawler</title>
<style>body {{ max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif }}
code, pre {{ background: #eee; padding: 0 .2em }}</style>
<h1>{shown}, a web crawler</h1>
<p>{escape(purpose)}</p>
<p>You are here because <code>{shown}</code> has visited your site. Write to {address} about anything it does.</p>
<h2>Keep it out, or let it in</h2>
<p>It obeys robots.txt (RFC 9309), under the name <code>{shown}</code>:</p>
<pre>User-agent: {shown}
Disallow: /private/</pre>
<p><code>Disallow: /</code> keeps it out of all of your site within a day, when it next reads robots.txt.</p>
<h2>Slow it down</h2>
<p>It makes one request to a host at a time and rests between two. It rests longer after slow answers. It obeys
<code>Crawl-delay</code>, and <code>Retry-After</code> with the status 429 or 503.</p>
<pre>User-agent: {shown}
Crawl-delay: 10</pre>
<h2>Verify that it is the real one</h2>
<p>Anybody can send this name. Its own requests can be signed by HTTP Message Signatures (RFC 9421) with the tag
<code>web-bot-auth</code>. The public keys are at
<a href="{escape(DIRECTORY_PATH)}">{escape(agent)}{escape(DIRECTORY_PATH)}</a>. If you answer with the field
<code>Accept-Signature</code>, it signs its requests to your host:</p>
<pre>Accept-Signature: sig1=("@authority" "signature-agent";key="sig1");created;expires;keyid;tag="web-bot-auth"</pre>
</html>
"""
