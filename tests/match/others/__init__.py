"""What other evaluators say about the same trajectories.

`python -m tests.match.others` draws cases, asks agentevals and pydantic-evals about each in an environment of their
own, and writes `verdicts/<producers and versions>.json`, which the tests read: they need neither package.
"""
