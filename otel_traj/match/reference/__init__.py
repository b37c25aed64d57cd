"""What a user may write as a reference, and how it is read."""
