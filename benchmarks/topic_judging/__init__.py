"""How well `topic judge` judges the pages of hosts that are left out, and how often what it says of itself is true."""
