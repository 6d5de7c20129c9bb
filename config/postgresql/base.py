"""Django's PostgreSQL, without a question before each request.

A connection is kept for the next request, and the server may have ended it meanwhile. Django asks it for something first,
which is a tenth of the way that a judgment goes to the database and back. But who ended it said so: its socket has word.
"""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Only a connection that has something to say unasked is asked whether it still answers."""
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or super().is_usable()
