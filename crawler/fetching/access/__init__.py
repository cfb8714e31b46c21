"""Who asks: what single requests get beyond what all requests get, and which secrets no log or archive may show."""
