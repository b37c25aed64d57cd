"""Verdicts as log events, back to where telemetry goes."""
