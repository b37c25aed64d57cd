"""The trajectory modes: whether supersteps meet a reference, and the cheapest edits that would make them."""
