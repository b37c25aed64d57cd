"""What is expected: references as records, as files read and written, and as matchers."""
