"""Host names to addresses: DNS lookups that run beside each other, and what is remembered of them."""
