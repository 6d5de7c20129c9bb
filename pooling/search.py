"""The full-text index of a corpus: one for each generation of its documents, written by a job.

Texts are analysed by `core/words.py` before they reach an index, so that every script is found by the same rules as it is
highlighted and ranked by, wherever the index is kept: in the data folder (`search_folder.py`), or in the database
(`search_database.py`), where all machines of a site see it.
"""

from django.conf import settings

from pooling import selectors
from pooling.models import Collection
from pooling.search_database import DatabaseIndex
from pooling.search_folder import FolderIndex
from pooling.search_index import Index

KINDS: dict[str, type[Index]] = {"folder": FolderIndex, "database": DatabaseIndex}


def index_of(collection: Collection) -> Index:
    """The collection's index, of the kind that the site keeps."""
    return KINDS[settings.SEARCH](selectors.corpus(collection))
