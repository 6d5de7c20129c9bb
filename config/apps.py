from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class FrameConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import checks  # noqa: F401  (registers the start-up checks)

        autodiscover_modules("tasks")  # every app's jobs register themselves
