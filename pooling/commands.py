"""What the commands on a collection share. Beside config/commands.py, since the frame knows no app."""

from config.commands import Error, SiteCommand
from pooling.models import Collection


class CollectionCommand(SiteCommand):
    def collection(self, slug: str) -> Collection:
        found = Collection.objects.filter(slug=slug).first()
        if found is None:
            raise Error(f"There is no collection “{slug}”.")
        return found
