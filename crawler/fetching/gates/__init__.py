"""Gates (bot filters and walls for consent or cookies): the known ones, and how to tell them from pages. Pure."""
