from django.apps import AppConfig
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.utils.module_loading import autodiscover_modules

from config import expected

expected.say_so()  # here, since every app's models are made after this is read, and forms after them


class FrameConfig(AppConfig):
    name = "config"
    default = True

    def ready(self) -> None:
        from config import checks  # noqa: F401  (registers the start-up checks)

        autodiscover_modules("tasks")  # every app's jobs register themselves


class StaticConfig(StaticFilesConfig):
    """Without the versions and extensions of htmx that no page uses: they are most of what would be compressed."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "htmx-4*", "htmax-*", "htmx-2.js", "django_htmx/ext"]
