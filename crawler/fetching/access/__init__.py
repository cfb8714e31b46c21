"""Who asks: what single requests get beside what all requests get, and what of that is hidden from all that writes."""
