"""`simulate` and `evaluate`: policies and estimators tried on stored graphs."""
