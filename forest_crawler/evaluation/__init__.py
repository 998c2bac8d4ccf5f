"""Evaluate methods on labelled pages: measures, runner, peers and report."""
