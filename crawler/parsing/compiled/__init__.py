"""The same reading of an HTML tree in C, where the set-up could build it."""
