"""A diagnosis in its forms: text and JSON."""
