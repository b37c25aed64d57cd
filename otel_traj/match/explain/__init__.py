"""From a comparison to words, numbers and records."""
