"""Shapes of JSON: topics, documents, uploads, runs. They clean; the rules live in the services."""

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema

from config.schemas import In
from pooling.core.metadata import FIGURES
from pooling.models import RunKind, Upload, UploadKind
from pooling.services.runs import FIGURE_PREFIX


class TopicOut(Schema):
    number: str
    title: str
    description: str
    narrative: str
    language: str = Field(description="A tag such as en; empty where nobody said.")
    translations: dict[str, dict[str, str]] = Field(description="The same topic in other languages, by tag.")
    extra: dict[str, str] = Field(description="Further fields of its file.")
    version: int = Field(description="Grows with each change after the first judgment.")


class TopicChange(In):
    title: str = Field(examples=["tidal power"])
    description: str = ""
    narrative: str = ""
    language: str = ""
    of: str = Field("", description="Change its version in this language instead.")


class CorpusOut(Schema):
    documents: int = Field(alias="document_count", description="How many documents can be judged.")
    complete: bool = Field(alias="is_complete", description="False: only what the pool needs was kept of them.")
    imports: int = Field(alias="last_generation", description="Files that were imported, or begun to be, so far.")


class FindingOut(Schema):
    severity: Literal["error", "warning", "info"]
    code: str = Field(description="For programs, such as DOC_DUPLICATE.")
    line: int = Field(description="From 1; 0 concerns the whole file.")
    field: str = Field("", description="The column or part it is about.")
    value: str = Field("", description="What was found there, cut at 80 characters.")
    near: str = Field("", description="What may have been meant.")
    lines: int = Field(1, description="On how many lines it is so; the first is told.")
    message: str = Field(description="What was expected, what came.")


class ReportOut(Schema):
    errors: int = Field(description="All of them; the first hundred are among the findings.")
    warnings: int
    counts: dict[str, int] = Field(description="Findings by code, listed or not.")
    offers: list[str] = Field([], description="Of a run: repairs that would mend something, of ranks, first and cut.")
    findings: list[FindingOut]
    facts: dict[str, Any] = Field(
        description="Of an accepted file: its documents, its topics, or its run's tag, topics and lines."
    )


class RepairIn(In):
    repairs: list[str] = Field([], max_length=10, description="Of ranks, first and cut; left out: all that were offered.")


class UploadOut(Schema):
    id: int
    kind: UploadKind
    name: str
    state: str = Field(
        description="received (being checked), accepted, refused, or failed (could not be checked; send it again)."
    )
    size: int = Field(description="Bytes, as it was sent.")
    sha256: str
    uploaded_by: str = Field(alias="uploaded_by.name")
    uploaded_at: datetime
    job: int | None = Field(None, alias="job_id", description="Of GET /jobs/{id}: how far the check is.")
    report: ReportOut | None = Field(description="What was found; null until the file is checked.")

    @staticmethod
    def resolve_state(upload: Upload) -> str:
        return upload.shown_state

    @staticmethod
    def resolve_report(upload: Upload) -> dict[str, Any] | None:
        return upload.report or None


class RunFields(In):
    """What is left out the metadata tell, else the run that it replaces, else it is automatic and of priority 1."""

    tag: str = Field(
        "",
        description="What the run is called, instead of the tag in its file, which is kept as it is; of one run alone.",
    )
    group: str = Field("", description="Who made it; at most 80 characters.")
    kind: RunKind | None = None
    description: str = Field("", description="How it was made; at most 5000 characters.")
    priority: int | None = Field(None, description="1 to 999; of its group's runs, the lowest is pooled first.")
    language: str = Field("", description="In which it read the topics, where they have several.")
    replace: bool = Field(False, description="Take the place of the run of the same tag, which is kept in history.")
    repair: str = Field(
        "", description="What may be mended where the check calls for it, of ranks, first and cut, separated by commas."
    )
    metadata: str = Field("", description="ir_metadata as YAML; else the comments at the head of the file tell it.")
    indexing_seconds: float | None = None
    cpu_seconds: float | None = None
    latency_mean_ms: float | None = None
    latency_median_ms: float | None = None
    latency_p95_ms: float | None = None
    latency_p99_ms: float | None = None
    throughput_qps: float | None = None
    index_bytes: float | None = None
    temporary_bytes: float | None = None

    def options(self) -> dict[str, str]:
        told = self.dict()
        figures = {name: told.pop(name) for name in [figure.name for figure in FIGURES]}
        options = {name: str(value) for name, value in told.items() if name != "replace" and value is not None}
        options["replace"] = "yes" if self.replace else ""
        return options | {f"{FIGURE_PREFIX}{name}": repr(value) for name, value in figures.items() if value is not None}


class RunChange(In):
    group: str = ""
    kind: RunKind = RunKind.AUTOMATIC
    description: str = ""
    priority: int = Field(1, description="1 to 999.")
    language: str = ""
    efficiency: dict[str, float] = Field({}, description="Figures by name, such as latency_mean_ms.")


class RulesOut(Schema):
    """What a run may be, and when it may come."""

    max_per_topic: int = Field(description="Results of a topic at most; more are an error.")
    expected_per_topic: int | None = Field(description="Fewer are remarked on.")
    runs_per_group: int | None = Field(description="At most.")
    strict_runs: bool = Field(description="Severities as NIST's checkers have them.")
    runs_open_at: datetime | None
    runs_close_at: datetime | None


class RulesIn(In):
    max_per_topic: int = 1000
    expected_per_topic: int | None = None
    runs_per_group: int | None = None
    strict_runs: bool = False
    runs_open_at: datetime | None = Field(None, description="Of UTC unless it says otherwise; null: at once.")
    runs_close_at: datetime | None = Field(None, description="Of UTC unless it says otherwise; null: without end.")


class DocumentFields(In):
    format: Literal["auto", "jsonl", "sgml", "tsv", "smart", "files"] = "auto"
    encoding: str = Field("utf-8", description="utf-8, utf-8-or-latin-1, cp1252 and others of the page's list.")
    only: Literal["all", "pool"] = Field("all", description="pool: keep only what is pooled; what is missing is listed.")
    others: Literal["refuse", "keep", "drop"] = Field(
        "refuse", description="Present documents that the file lacks: keep adds the file to them, drop lets them go."
    )

    def options(self) -> dict[str, str]:
        return dict(self.dict())


class TopicFields(In):
    encoding: str = Field("utf-8", description="utf-8, cp1252 and others of the page's list.")
    language: str = Field("", description="Of topics that name none, such as en.")
    numbering: Literal["given", "running"] = Field("given", description="running: 1, 2, 3 … in the order of the file.")
    parallel: bool = Field(False, description="The topics stay; those of the file are the same in its language.")
    drop: bool = Field(False, description="Drop topics that the file lacks; otherwise such a file is refused.")

    def options(self) -> dict[str, str]:
        return {**self.dict(), "parallel": "yes" if self.parallel else "", "drop": "yes" if self.drop else ""}


class RunOut(Schema):
    tag: str
    group: str
    kind: RunKind
    description: str
    topics: int = Field(alias="topic_count")
    lines: int = Field(alias="line_count")
    priority: int
    language: str
    efficiency: dict[str, float]
    metadata: dict[str, Any] = Field(description="The whole of its ir_metadata.")
    repaired: list[str] = Field(description="What was mended in the file before it was taken: ranks, first, cut.")
    version: int = Field(description="1, and one more with each submission that replaced it.")
    submitted_by: str = Field(alias="submitted_by.name")
    created_at: datetime
    upload: int = Field(alias="upload_id", description="Of GET /collections/{slug}/uploads/{id}: its report.")
    sha256: str = Field(alias="upload.sha256", description="Of the file as it was sent.")


class WithdrawnOut(Schema):
    """A run that was withdrawn, in one of its versions."""

    id: int = Field(description="Of GET /collections/{slug}/withdrawn/{id}/file: the file as it was sent.")
    tag: str
    group: str
    version: int
    topics: int = Field(alias="topic_count")
    lines: int = Field(alias="line_count")
    submitted_by: str = Field(alias="submitted_by.name")
    created_at: datetime
    withdrawn_by: str = Field(alias="withdrawn_by.name")
    withdrawn_at: datetime
    upload: int = Field(alias="upload_id", description="Of GET /collections/{slug}/uploads/{id}: its report.")
    sha256: str = Field(alias="upload.sha256", description="Of the file as it was sent.")


class BaselineIn(In):
    """A run of our own over the collection's documents."""

    model: Literal["bm25", "tfidf"] = "bm25"
    k1: float = Field(1.2, description="Of BM25; 0 is the binary model.")
    b: float = Field(0.75, description="Of BM25: heed of lengths.")
    k3: float | None = Field(None, description="Of BM25, for long topics; left out: none.")
    idf: Literal["floor", "seed"] = "floor"
    fields: Literal["title", "title+description", "all"] = Field("title", description="Of each topic.")
    feedback: int = Field(0, description="Pseudo-relevance feedback from so many documents; 0: none.")
    depth: int = Field(1000, description="Documents of each topic, 1 to 10,000.")
    tag: str = Field("", description="Of the run; left out: assize-bm25 or the like.")
