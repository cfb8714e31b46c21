"""Links by target, and bodies by hash: sorted runs that are written during a crawl, instead of indexes.

Soon after links are stored, they are sorted 65,000 at a time into a *run*, which is written in one piece. Sixteen runs
are merged into a longer one, step by step. A reader searches each run, of which there are some dozens, and the links of
pages that are not sorted yet. An index of links by target costs more: each link changes another page of the file, which
takes 2 to 5 µs and writes 8 KB. Building the index at the end of a run took 0.9 µs per link, two minutes for 138
million links. (Log-structured merge trees do the same: O'Neil, Cheng, Gawlick & O'Neil 1996.)
"""
