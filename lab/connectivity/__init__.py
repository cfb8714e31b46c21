"""The links of a web graph in a few bits each, with random access: a server in memory, and files of WebGraph.

Bharat, Broder, Henzinger, Kumar & Venkatasubramanian, "The Connectivity Server" (WWW 1998); Boldi & Vigna, "The
WebGraph Framework I: Compression Techniques" (WWW 2004). Start with `server.Connectivity`.
"""
