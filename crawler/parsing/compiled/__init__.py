"""The page reader in C, for systems on which it can be built."""
