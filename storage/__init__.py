"""The link store: one SQLite file that holds everything a crawl knows, as its state and as its log.

This package knows SQL, pages and links. It knows nothing about crawling and imports nothing of ours. `link_store`
serves the crawl that writes; `reading` serves everyone who only reads; both exchange the plain values of `values`.
docs/schema.md explains the tables to people who query the file themselves.
"""
