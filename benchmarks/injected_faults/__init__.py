"""A site without a fault, into which faults of all kinds are injected by a seed, and what audits find of them."""
