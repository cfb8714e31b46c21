"""The same reading of an HTML tree in C, where a compiler is found."""
