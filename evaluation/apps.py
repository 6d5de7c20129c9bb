from django.apps import AppConfig


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
    if measure.definition.needs not in ("", "strata", "inclusion"):  # what a sampled pool tells
        raise MeasureError(f'"{name}" needs more than runs and judgments; expected a measure of these alone.')
    return str(measure)
