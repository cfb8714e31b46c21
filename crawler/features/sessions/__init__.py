"""Keeps sessions: cookies that sites need to answer at all, and logins by form."""
