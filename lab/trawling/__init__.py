"""Trawling: communities as bipartite cores C(i, j), found by elimination and generation.

Kumar, Raghavan, Rajagopalan & Tomkins, "Trawling the Web for Emerging Cyber-Communities" (WWW 1999); Kumar et al., "The
Web as a Graph" (PODS 2000), section 2.2. A core is a set of j centres to all of which the same i fans link, or more.

The links are read in passes, by source and by destination in turn; beside them there are some bytes a page.
"""
