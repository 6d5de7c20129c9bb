from typing import Any

from evaluation.commands import ReleaseCommand
from evaluation.services import releases
from pooling.services.work import Direct


class Command(ReleaseCommand):
    help = "Score the runs that have no scores under a release yet."

    def handle(self, *args: Any, **options: Any) -> None:
        release = self.release(options)
        with self.bar(f"Scores of release {release.number}") as tell, Direct(tell) as work:
            count = releases.score_release(release, work=work)
        self.stdout.write(str(count))
