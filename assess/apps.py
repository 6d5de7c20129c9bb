from django.apps import AppConfig


class AssessConfig(AppConfig):
    name = "assess"

    def ready(self) -> None:
        from assess import checks  # noqa: F401  (registers the check that looks after the judgments)
