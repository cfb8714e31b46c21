"""Words that are written together with others: the parts of compounds, and nouns with Korean particles."""
