"""What is learnt of links: how likely they lead to pages about a topic."""
