"""Web Bot Auth: signs requests, so that sites can verify which crawler sent them."""
