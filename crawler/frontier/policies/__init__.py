"""What a frontier policy is, and what most policies are built on."""
