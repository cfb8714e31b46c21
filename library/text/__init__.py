"""What the commands and the pages of `serve` say alike."""
