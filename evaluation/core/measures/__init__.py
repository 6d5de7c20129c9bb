"""Measures: one short function each, one value per (run, topic) out. All sums run in rank order, one by one."""
