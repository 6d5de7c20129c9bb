"""The web server's entry point."""

import gc
import os
import sys
import threading
from importlib import import_module

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from django.db import connections  # noqa: E402

from config.process import LOADED, die_with_parent  # noqa: E402

# Only the web server: a person waits 5 s at most for SQLite's write lock, or for a PostgreSQL that does not answer, then
# gets a 503 and the browser tries again. Each thread keeps a connection of its own and looks at it before a request: one
# that died is replaced at once. (A pool would hand out its dead ones one after the other, with ever longer pauses.)
database = connections.settings["default"]
timeout = "connect_timeout" if database["ENGINE"].endswith("postgresql") else "timeout"
database["OPTIONS"][timeout] = 5
# A judgment asks the database some fifty times, in a few milliseconds, and each time waits for a turn behind whatever else
# computes in this process: a page of progress, an upload. Python's own 5 ms a turn would make it wait until that is done.
sys.setswitchinterval(0.0002)
die_with_parent()
# What is loaded now stays: looking through all of it for what is no longer used takes a tenth of a second of somebody's request.
gc.collect()
gc.freeze()
sys.stdout.write(f"{LOADED}\n")
sys.stdout.flush()

# The first comparison of runs would wait seconds for scipy's tests. They are imported once the process answers, beside its
# requests, and by the web server alone: commands start without.
warming = threading.Timer(5.0, import_module, ["scipy.stats"])
warming.daemon = True
warming.start()
