from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from config import doctor
from config.commands import Error, SiteCommand


class Command(SiteCommand):
    help = "Count again all that is kept twice, and tell what is off: digests, counts, histories, pools, scores."

    def add_arguments(self, parser: CommandParser) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        with self.bar("Examining") as tell:
            found = doctor.examine(tell)
        faults = [fault for some in found.values() for fault in some]
        if options["json"]:
            self.document({"ok": not faults, "faults": {what: [asdict(one) for one in some] for what, some in found.items()}})
        else:
            rows = [{"examined": what, "state": f"{len(some):,} off" if some else "ok"} for what, some in found.items()]
            self.table(rows, ["examined", "state"])
            for fault in faults:
                self.stdout.write(f"{fault.where}: {fault.what}: expected {fault.expected}, found {fault.found}")
        if faults:
            raise Error(f"{len(faults):,} thing{'' if len(faults) == 1 else 's'} off.")
