"""Bot filters and walls for consent or cookies: the known ones, and how they differ from pages. Pure."""
