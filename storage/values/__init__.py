"""What goes into the link store and comes out of it, as plain values: all that pure modules may know about it."""
