"""What goes into the link store and what it tells, as plain values: all that pure modules may know of it."""
