"""Full-text indexes that are kept in the database."""

from django.db import models
from django.db.models import Q

from pooling.models.collections import Corpus


class SearchIndex(models.Model):
    """A full-text index that is kept in the database (pooling/search_database.py); unready ones are nobody's yet."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE, related_name="indexes")
    generation = models.PositiveIntegerField()
    is_ready = models.BooleanField(default=False)
    document_count = models.PositiveIntegerField(default=0)
    title_terms = models.BigIntegerField(default=0, help_text="Of all titles together.")
    text_terms = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["corpus", "generation"], condition=Q(is_ready=True), name="search_index_once")
        ]


class TermVector(models.Field):  # type: ignore[type-arg]  # never read or written through Django
    """PostgreSQL's tsvector; where there is none, the table stays empty."""

    def db_type(self, connection: object) -> str:
        return "tsvector" if getattr(connection, "vendor", "") == "postgresql" else "text"


class IndexedDocument(models.Model):
    """A document, numbered from 0 within its index, and its terms where they stand: a GIN index of `terms` is made by the
    migration, where the database has such."""

    index = models.ForeignKey(SearchIndex, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()
    docno = models.CharField(max_length=400)
    terms = TermVector()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["index", "number"], name="indexed_document_once")]


class IndexedTerm(models.Model):
    """Which documents of a piece of an index have a term: weight A in their titles, D in their texts."""

    index = models.ForeignKey(SearchIndex, on_delete=models.CASCADE, related_name="+")
    piece = models.PositiveIntegerField()
    weight = models.CharField(max_length=1)
    term = models.TextField()
    document_count = models.PositiveIntegerField()
    postings = models.BinaryField(help_text="As pooling/search_database.py packs them.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["index", "term", "weight", "piece"], name="indexed_term_once")]
