"""The links of a web in a few bits each, with random access: a connectivity server in memory, and files of WebGraph.

Bharat, Broder, Henzinger, Kumar & Venkatasubramanian, "The Connectivity Server" (WWW 1998); Boldi & Vigna, "The
WebGraph Framework I: Compression Techniques" (WWW 2004). `server.Connectivity` is what to begin with.
"""
