"""Jobs of the frame: password mails, and a trial that shows whether queue and workers do their work."""

import time

from config import accounts, health, jobs
from config.models import User


@jobs.job("send_reset", minutes=2)
def send_reset(running: jobs.Running) -> str:
    accounts.send_reset(User.objects.get(pk=running.args["user"]))
    return "Sent"


@jobs.job("trial", minutes=10)
def trial(running: jobs.Running) -> str:
    """Counts slowly: an administrator's way to see that jobs run, tell their progress, and survive a killed worker.
    At the end the job's own connection tells how durable its commits are."""
    steps, seconds = int(running.args["steps"]), float(running.args["seconds"])
    for step in range(steps):
        running.progress(step, steps, f"Step {step + 1} of {steps}")
        time.sleep(seconds / steps)
    return f"All {steps} steps done. {health.database().detail}"
