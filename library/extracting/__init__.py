"""Rules applied again to the bodies that a store has kept."""
