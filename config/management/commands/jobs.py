import argparse
import time

from django.core.management.base import CommandParser

from config import jobs
from config.arguments import whole
from config.commands import Error, Options, SiteCommand
from config.expected import shown
from config.models import Job, JobState

COLUMNS = ["id", "state", "title", "done_count", "total", "message", "started_by", "created_at", "finished_at"]
LOOK_EVERY = 0.5  # seconds


class Command(SiteCommand):
    help = "List, show and watch jobs; try out queue and workers."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = self.acts(parser)
        act = self.act(acts, "list", self.list, "The latest jobs, newest first.", lists=True)
        act.add_argument("--state", choices=[*JobState.values, "stalled"], help="only those in this state")
        act.add_argument("--limit", type=whole(1), default=20, metavar="N", help="at most so many; 20 unless given")
        self.act(acts, "show", self.show, "All about one job.", lists=True).add_argument("id", type=int)
        about = "Follow a job until it ends; exit status 1 when it failed, or refused a file."
        self.act(acts, "watch", self.watch, about).add_argument("id", type=int)
        act = self.act(acts, "trial", self.trial, "Start a job that only counts: do queue and workers do their work?")
        act.add_argument("--steps", type=whole(1), default=10, metavar="N", help="10 unless given")
        act.add_argument("--seconds", type=_seconds, default="5", metavar="N", help="how long it takes; 5 unless given")
        act.add_argument("--watch", action="store_true", help="follow it until it ends")

    def list(self, options: Options) -> None:
        found = Job.objects.select_related("started_by").order_by("-pk")
        state = options["state"]
        if state == "stalled":
            rows = [_row(job) for job in found.filter(state=JobState.RUNNING) if job.shown_state == state]
        else:
            rows = [_row(job) for job in (found.filter(state=state) if state else found)[: options["limit"]]]
        self.table(rows[: options["limit"]], COLUMNS)

    def show(self, options: Options) -> None:
        job = self._job(options["id"])
        more = ("name", "args", "attempt", "failures", "due_at", "started_at", "heartbeat_at", "output")
        self.facts(_row(job) | {name: getattr(job, name) for name in more})

    def watch(self, options: Options) -> None:
        self._follow(self._job(options["id"]))

    def trial(self, options: Options) -> None:
        args: dict[str, int | str] = {"steps": options["steps"], "seconds": options["seconds"]}
        job = jobs.intend("trial", title=f"Trial of {options['steps']} steps", args=args)
        self.stdout.write(str(job.pk))
        if options["watch"]:
            self._follow(job)

    def _job(self, pk: int) -> Job:
        job = Job.objects.select_related("started_by").filter(pk=pk).first()
        if job is None:
            raise Error(f"There is no job {pk}.")
        return job

    def _follow(self, job: Job) -> None:
        with self.bar(job.title) as tell:
            while True:
                job = self._job(job.pk)
                tell(job.done_count, job.total, job.message or job.shown_state)
                if not job.is_live:
                    break
                time.sleep(LOOK_EVERY)
        if job.state == JobState.FAILED:
            raise Error(f"{job} failed: {job.message}")
        if job.state == JobState.REFUSED:
            raise Error(f"{job}: the file was refused. {job.message}")
        self.say(f"{job} is done. {job.message}".strip())


def _row(job: Job) -> dict[str, object]:
    return {
        "id": job.pk,
        "state": job.shown_state,
        "title": job.title,
        "done_count": job.done_count,
        "total": job.total,
        "message": job.message,
        "started_by": job.started_by.username if job.started_by else "",
        "created_at": job.created_at,
        "finished_at": job.finished_at,
    }


def _seconds(given: str) -> str:
    try:
        if 0 <= float(given) <= 500:  # the job's own limit is 10 minutes
            return given
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"expected a number from 0 to 500, found “{shown(given)}”")
