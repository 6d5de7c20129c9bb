"""Scores of runs against judgments. `from evaluation import evaluate` needs neither settings nor a database."""

from evaluation.scoring import Comparison, Result, compare, evaluate, read_qrels, read_run

__all__ = ["Comparison", "Result", "compare", "evaluate", "read_qrels", "read_run"]
