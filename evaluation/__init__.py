"""Scores of runs against judgments. `from evaluation import evaluate` needs neither settings nor a database."""

from evaluation.passage_scoring import evaluate_passages
from evaluation.scoring import Comparison, Result, compare, evaluate
from evaluation.sources import read_qrels, read_run

__all__ = ["Comparison", "Result", "compare", "evaluate", "evaluate_passages", "read_qrels", "read_run"]
