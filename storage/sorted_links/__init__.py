"""Links by target, and bodies by hash: sorted runs that are written during a crawl, instead of indexes.

An index of links by target would touch a page of the file for each link, since the targets of a page are anywhere: 2 to
5 µs a link, and 8 KB written. To build it at the end of a run took 0.9 µs a link, two minutes for 138 million. So links
are sorted 65,000 at a time, as soon as they were stored, into a *run*, which is written in one piece. Sixteen runs
are merged into a longer one, step by step. A reader looks into each run, which are some dozens, and into the links of
the pages that are not sorted yet. (Log-structured merge trees do the same: O'Neil, Cheng, Gawlick & O'Neil 1996.)
"""
