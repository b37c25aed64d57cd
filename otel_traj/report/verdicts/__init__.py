"""A report in its forms: text, colours, JSON, JUnit XML, Markdown; and the files they go to."""
