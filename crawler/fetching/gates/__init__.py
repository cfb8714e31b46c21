"""Gates (bot filters and walls for consent or cookies): the known gates, and how to recognise them. Pure."""
