"""Which pages are known, which are local, and how deep they lie."""
