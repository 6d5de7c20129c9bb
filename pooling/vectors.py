"""A collection's documents as vectors, for strategies that learn from words: made once for each generation, kept as a file.

Derived data. A process that picks holds those of the last collection it was asked for: 8 bytes for each different term of
each document, so some 100 MB for 100,000 documents of 120 different terms.
"""

import threading

import numpy as np
from django.conf import settings

from config import store
from pooling import selectors
from pooling.core.learning import Vectors
from pooling.core.text import Texts
from pooling.models import Collection

MOST = 100_000  # documents; of more, the first by docno

_kept: dict[str, Vectors] = {}
_lock = threading.Lock()


def candidates(collection: Collection) -> int:
    """How many documents a learner may pick from."""
    return min(MOST, selectors.documents(collection).count())


def vectors(collection: Collection) -> Vectors:
    """Of the present documents; those who come at the same moment wait for one to make them."""
    corpus = selectors.corpus(collection)
    name = f"files/vectors/{corpus.pk}-{corpus.generation}.npz"
    key = str(settings.DATA / name)
    with _lock:
        if key not in _kept:
            path = store.path(name)
            found = Vectors.from_bytes(path.read_bytes()) if path.exists() else _made(collection, name)
            _kept.clear()
            _kept[key] = found
        return _kept[key]


def _made(collection: Collection, name: str) -> Vectors:
    rows = selectors.documents(collection).order_by("docno").values_list("docno", "title", "text", "language")[:MOST]
    texts = Texts.of((docno, f"{title}\n{text}", spoken) for docno, title, text, spoken in rows.iterator(chunk_size=500))
    found = Vectors.of(texts, np.float32)
    store.put(name, found.to_bytes())
    stem = name.rpartition("-")[0]
    for other in store.path(name).parent.glob(f"{stem.rpartition('/')[2]}-*.npz"):
        if other.name != name.rpartition("/")[2]:
            store.remove(f"files/vectors/{other.name}")
    return found
