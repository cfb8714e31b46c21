"""Sessions: cookies without which some sites do not answer, and logins through forms."""
