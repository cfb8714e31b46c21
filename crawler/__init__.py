"""Hinterland's crawler: from seed URLs to a store of pages and links.

The life of a page, and where to read about each step:

 1. A seed, a link or a redirect names it. `urls` brings the name into its one form and knows whether it was seen.
 2. `pages` numbers it, and says whether it is ours and how deep it lies. From here on it is an integer.
 3. A policy says how urgent it is (`policies`), and it waits (`frontier`) until its host may be asked.
 4. `robots` says whether it may be fetched, `traps` whether its URL looks endless and goes last.
 5. `visiting` carries a visit out: `fetching` makes one request and says what became of it, an outcome,
 6. and `parsing` reads links and text from its body, in a process of its own.
 7. `decisions` makes what a visit found true in memory, and only then is it in the store (`storage`).
 8. `engine` puts all this together, and says whose turn it is.
 9. `hinterland` chooses the pages outside that are needed to rank those inside as the whole web would.

`settings` holds all that can be set. What people use of the crawler is in `apps`: commands (`apps/cli`), search, pages
in a browser (`apps/serving`), imports, experiments and the demo. The store itself is `storage`, graph analysis
`analysis`. docs/architecture.md draws the whole.
"""

__version__ = "0.1.0"
