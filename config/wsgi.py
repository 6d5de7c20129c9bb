"""The web server's entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from django.conf import settings  # noqa: E402
from django.db import connections  # noqa: E402

from config.process import die_with_parent  # noqa: E402

# Only the web server: many threads share a pool of PostgreSQL connections (jobs fork, and a pool must not be forked),
# and a person waits 5 s at most for SQLite's write lock, then gets a 503 and the browser tries again.
database = connections.settings["default"]
if database["ENGINE"].endswith("postgresql"):
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"]["pool"] = {"min_size": 1, "max_size": settings.WEB_THREADS + 2, "timeout": 5}
else:
    database["OPTIONS"]["timeout"] = 5
die_with_parent()
