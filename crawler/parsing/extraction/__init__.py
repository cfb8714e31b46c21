"""Fields taken out of pages: what rules say, and what they find in a tree."""
