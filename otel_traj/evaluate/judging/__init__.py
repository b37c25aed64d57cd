"""From runs and references to verdicts and an exit code: which runs, which reference, what the evaluators say."""
