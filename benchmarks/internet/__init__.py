"""The internet in a box: a web with latency, loss, dead names and TLS, in network namespaces of this machine."""
