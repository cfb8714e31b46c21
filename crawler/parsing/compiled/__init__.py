"""The page reader in C, for systems where the set-up could build it."""
