"""Trajectories of other tools, to and from ours."""
