from django.apps import AppConfig

# Measures that no release settles: where they are shown instead.
ELSEWHERE = {
    "known": "is of what users know, and stands in the report of each run",
    "expected": "is of what users expect, and stands in the report of each run",
    "evidence": "is of parts of documents, and stands in the report of runs that return passages",
}


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self) -> None:
        from pooling import measures

        measures.read_by(_spelled)


def _spelled(name: str) -> str:
    """The one spelling of a measure that a leaderboard can show."""
    from evaluation.core.definitions import MeasureError
    from evaluation.core.registry import parse_measure

    measure = parse_measure(name)
    if where := ELSEWHERE.get(measure.definition.needs):
        raise MeasureError(f'"{name}" {where}; expected a measure of runs and judgments.')
    return str(measure)
