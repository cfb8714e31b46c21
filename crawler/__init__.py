"""Hinterland's crawler: from seed URLs to a store of pages and links.

The life of a page, and where to read about each step:

 1. A seed, a link or a redirect names it. `urls` brings the name into its one form and knows whether it was seen.
 2. `frontier/pages` numbers it, and says whether it is ours and how deep it lies. From here on it is an integer.
 3. A policy says how urgent it is (`policies`), and it waits (`frontier`) until its host may be asked.
 4. `fetching/robots` says whether it may be fetched; `loop` carries the visit out.
 5. `fetching` makes one request and says what became of it, an outcome,
 6. and `parsing` reads links and text from its body, in a process of its own.
 7. `loop/decisions` makes what a visit found true in memory, and only then is it in the store (`storage`).
 8. `features` have their say at each of these moments; the loop knows none of them by name.
 9. `assembly` puts all this together. `cluster` lets several processes share a crawl.

`settings` holds all that can be set. docs/architecture.md draws the whole.
"""

__version__ = "0.1.0"
