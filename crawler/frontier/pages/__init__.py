"""Which pages are known, which are ours, how deep they lie."""
