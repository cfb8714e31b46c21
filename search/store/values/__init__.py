"""What an index is asked and what its documents are made of, as plain values."""
