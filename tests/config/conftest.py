from tests.queue_server import _queue_process, no_queue, queue_server

__all__ = ["_queue_process", "no_queue", "queue_server"]
