"""The full-text index of a collection's documents."""

from collections.abc import Iterator

from django.conf import settings
from django.db import transaction

from config import jobs, store
from config.errors import Conflict
from config.models import Job, User
from pooling import search, selectors
from pooling.models import Collection
from pooling.services.work import Work


@transaction.atomic
def request_index(collection: Collection, *, by: User) -> Job:
    """Ask for the index of the present documents; asked twice, it is made once."""
    _require(collection)
    return jobs.intend(
        "index_documents",
        title=f"Search index of {collection.name}",
        args={"collection": collection.pk},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"index:{collection.pk}",
    )


def index_documents(collection: Collection, work: Work) -> int:
    """Written aside, and switched in by one renaming; of documents that are indexed already, nothing is done."""
    _require(collection)
    aside = work.folder() / "index"
    documents = selectors.documents(collection)
    total = documents.count()
    if search.is_ready(collection):
        with work.finish(f"{total:,} documents are indexed"):
            return total

    def rows() -> Iterator[tuple[str, str, str, str]]:
        yield from documents.values_list("docno", "title", "text", "language").iterator(chunk_size=500)

    count = search.write(aside, rows(), lambda done: work.progress(done, total, f"{done:,} of {total:,} documents"))
    with work.finish(f"{count:,} documents are indexed"):
        if not (settings.DATA / search.name(collection)).exists():
            store.move(aside, search.name(collection))
    search.remove_others(collection)
    return count


def _require(collection: Collection) -> None:
    if not selectors.documents(collection).exists():
        raise Conflict("There are no documents yet: import them first.")
