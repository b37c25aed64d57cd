"""A run in its forms: tree, supersteps, JSON, rows of a data frame, what a notebook shows."""
