"""Rules that hold for every run, whatever its trajectory."""
