"""What single requests get in addition to what all requests get, and which secrets no log or archive may show."""
