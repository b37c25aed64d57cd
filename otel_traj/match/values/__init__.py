"""Arguments and results compared: JSON values, by mode, tolerance or callable."""
