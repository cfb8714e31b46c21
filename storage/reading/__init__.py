"""Queries to a store that another process may be writing: read-only, and never in the writer's way.

`reading` in `opening` opens a file once and yields a StoreReader, which answers by subject: runs, pages, hosts, links,
ranks and so on. Each answer is one short read transaction, so that no pager at the other end of a pipe can delay the
checkpoint of the write-ahead log. Two answers may therefore be of two moments.

Queries of browsing users go through a key or in bounded portions, so that no answer takes seconds in a store of
millions of pages. Lists continue after the last number of the previous portion. Without an index, only a limited number
of rows is examined, and the answer says so. A query that reads a whole table says so in its docstring. What they cost
in a store of a million fetched pages and two million others is in benchmarks/README.md.
"""
