"""The site's settings, with the poisonous jobs beside its own."""

from config import settings as given
from config.settings import *  # noqa: F403

INSTALLED_APPS = [*given.INSTALLED_APPS, "tests.live.poison"]
