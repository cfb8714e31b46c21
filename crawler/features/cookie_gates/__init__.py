"""Pages that a site shows only once its cookie comes back."""
