"""Symbolic shapes for Lightning Thunder: the loader of the patch tree."""
