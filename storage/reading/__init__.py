"""Read-only queries to a store that another process may be writing. They never delay the writer.

`reading` in `opening` opens a file once and yields a StoreReader, whose queries are grouped by subject: runs, pages,
hosts, links, ranks and so on. Each answer is one short read transaction, so that a slow reader of the output, such as a
pager, cannot delay the checkpoint of the write-ahead log. So the store may have changed between two answers.

Queries for web pages use an index or examine a bounded number of rows, so that no answer takes seconds in a store of
millions of pages. Lists continue after the last number of the previous portion. Without an index, only a limited number
of rows is examined, and the answer says so. A query that reads a whole table says so in its docstring.
benchmarks/README.md has their costs in a store of a million fetched pages and two million others.
"""
