"""Questions to a store that somebody else may be writing: read-only, and never in the writer's way.

`reading` in `opening` opens a file once and gives a StoreReader; its parts answer by subject: runs, pages, hosts, links
and ranks. Each answer is one short read transaction, so that no pager at the other end of a pipe can hold up the
merging of the write-ahead log. Two answers may therefore be of two moments.

What those who look around ask is asked through a key or in bounded portions, so that no answer takes seconds in a store
of millions of pages: lists go on after the last number of the portion before; what has no index is looked through up to
a limit, and the answer says so. Where a question reads a table from end to end, it says so too. What they cost in a
store of a million fetched pages and two million others: benchmarks/README.md.
"""
