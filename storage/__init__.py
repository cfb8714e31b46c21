"""The link store: one SQLite file that holds everything a crawl knows. It is both the state and the log of the crawl.

This package knows SQL, pages and links. It knows nothing about crawling and imports no other package of Hinterland. The
crawl writes through `link_store`; everything that only reads uses `reading`. Both take and return the plain values of
`values`. docs/schema.md explains the tables to people who query the file themselves.
"""
