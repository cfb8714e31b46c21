"""What sites say about the use of their pages: for search, as input of an AI system, for training one."""
