"""What is learnt about links: how likely they lead to pages about a topic."""
