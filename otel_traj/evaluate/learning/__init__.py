"""What runs are good for: references learned from them, cases and spans taken out."""
