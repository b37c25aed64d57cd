"""Whether a source holds everything of its runs, and whether several sources agree."""
