"""What a frontier policy is, and what most are built on."""
