"""Trawling: communities as bipartite cores C(i, j), found by elimination and generation.

Kumar, Raghavan, Rajagopalan & Tomkins, "Trawling the Web for Emerging Cyber-Communities" (WWW 1999); Kumar et al., "The
Web as a Graph" (PODS 2000), section 2.2. A core is a set of j centres together with at least i fans, each of which
links to all centres. The links are read in passes, by source and by target in turn; other memory is some bytes per
page.
"""
