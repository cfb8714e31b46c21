"""Hinterland's crawler: from seed URLs to a store of pages and links.

The life of a page, and where to read about each step:

 1. A seed, a link or a redirect names the page. `urls` gives the URL its canonical form and knows whether it was seen.
 2. `frontier/pages` gives the page a number, and says whether it is local, and how deep. From here on it is an integer.
 3. A policy says how urgent the page is (`policies`). It waits (`frontier`) until its host may be visited.
 4. `fetching/robots` says whether it may be fetched; `loop` carries the visit out.
 5. `fetching` makes one request and judges the answer; the result is an outcome.
 6. `parsing` reads links and text from the body, in another process.
 7. `loop/decisions` updates the state in memory with what the visit found, which then goes into the store (`storage`).
 8. `features` take part in each of these steps; the loop knows none of them by name.
 9. `assembly` connects all this. `cluster` lets several processes share a crawl.

`settings` holds everything that can be set. docs/architecture.md draws the whole.
"""

__version__ = "0.2.0"
