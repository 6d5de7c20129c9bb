"""The full-text index of a collection's documents."""

from django.db import transaction

from config import jobs
from config.errors import Conflict
from config.models import Job, User
from pooling import search, selectors
from pooling.core import extra
from pooling.models import Collection
from pooling.services.work import Work


@transaction.atomic
def request_index(collection: Collection, *, by: User) -> Job:
    """Ask for the index of the present documents; asked twice, it is made once."""
    _require(collection)
    return jobs.intend(
        "index_documents",
        title=f"Search index of {collection.short_name}",
        args={"collection": collection.pk},
        started_by=by,
        collection_id=collection.pk,
        dedupe=f"index:{collection.pk}",
    )


def index_documents(collection: Collection, work: Work) -> int:
    """Of documents that are indexed already, nothing is done."""
    _require(collection)
    documents, index = selectors.documents(collection), search.index_of(collection)
    total = documents.count()
    if index.is_ready():
        with work.finish(f"{total:,} documents are indexed"):
            return total
    rows = documents.values_list("docno", "title", "text", "language", "extra").iterator(chunk_size=500)
    told = ((docno, title, f"{text}\n{extra.text(beside)}", spoken) for docno, title, text, spoken, beside in rows)
    return index.write(told, total, work)


def _require(collection: Collection) -> None:
    if not selectors.documents(collection).exists():
        raise Conflict("There are no documents yet: import them first.")
