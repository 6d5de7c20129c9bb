"""Forms of collections, members, uploads and pools. They clean; the rules live in the services."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.forms import BaseFormSet, formset_factory
from django.utils import timezone

from config.errors import Refusal
from config.forms import FileField
from pooling import measures
from pooling.core import baseline
from pooling.core.documents import FORMATS
from pooling.core.encodings import ENCODINGS
from pooling.core.metadata import FIGURES
from pooling.core.presets import PRESETS, GradeSpec
from pooling.core.repairs import REPAIRS
from pooling.core.strategies import STRATEGIES, Parameter
from pooling.models import Collection, Genre, Grade, Role, Run, RunKind
from pooling.plans import PACES
from pooling.services.members import MOST_DAYS
from pooling.services.runs import FIGURE_PREFIX


class CreateForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Collection
        fields = ["name", "slug", "task", "description", "visibility"]
        labels = {"slug": "Address"}
        error_messages = {"slug": {"unique": "There is a collection with this address already."}}
        help_texts = {"task": "Fills in the scale, the thresholds and the official measures; you can change them."}
        widgets = {
            "slug": forms.TextInput(attrs={"data-address-of": "name"}),
            "description": forms.Textarea(attrs={"rows": 5}),
            "visibility": forms.RadioSelect,
        }

    task = forms.ChoiceField(
        choices=[(p.slug, f"{p.label}: {p.about}") for p in PRESETS.values()], widget=forms.RadioSelect, initial="ad-hoc"
    )


class EditForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Collection
        fields = ["name", "description", "visibility", "authors", "genre", "languages", "licence", "source", "crawl"]
        widgets = {
            "description": forms.Textarea(attrs={"rows": 8}),
            "visibility": forms.RadioSelect,
            "crawl": forms.Textarea(attrs={"rows": 6}),
        }

    measures = forms.CharField(
        label="Official measures",
        max_length=500,
        help_text="Any measures, separated by spaces, such as AP nDCG@10 AP(rel=2); the first one orders the leaderboard.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["genre"].choices = [("", "not said"), *Genre.choices]  # type: ignore[attr-defined]

    def clean_measures(self) -> list[str]:
        return measures.named(self.cleaned_data["measures"])


class GradeForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Grade
        fields = ["value", "label", "key", "definition", "example"]
        widgets = {
            "definition": forms.Textarea(attrs={"rows": 2}),
            "example": forms.Textarea(attrs={"rows": 2}),
            "key": forms.TextInput(attrs={"inputmode": "numeric", "size": 2}),
        }

    def spec(self) -> GradeSpec:
        names = ("value", "label", "definition", "example", "key")
        return GradeSpec(**{name: self.cleaned_data[name] for name in names})


Scale = formset_factory(GradeForm, extra=1, max_num=10, absolute_max=12, can_delete=True)


def specs(scale: BaseFormSet[GradeForm]) -> list[GradeSpec]:
    """The grades of a valid formset, lowest first; a row left empty, or marked for removal, is not one."""
    kept = [form.spec() for form in scale.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]
    return sorted(kept, key=lambda spec: spec.value)


class ThresholdForm(forms.Form):
    lenient_from = forms.IntegerField(label="Relevant from grade (lenient)", help_text="Binary measures use this one.")
    seen = forms.CharField(widget=forms.HiddenInput, required=False)
    strict_from = forms.IntegerField(label="Relevant from grade (strict)", help_text="The strict view of the same judgments.")


class GuidelineForm(forms.Form):
    text = forms.CharField(
        label="Guidelines", max_length=100_000, widget=forms.Textarea(attrs={"rows": 24}), help_text="Markdown."
    )
    base_version = forms.IntegerField(widget=forms.HiddenInput)


class InviteForm(forms.Form):
    role = forms.ChoiceField(choices=Role, initial=Role.ASSESSOR)
    days = forms.IntegerField(label="Valid for, in days", initial=14, min_value=1, max_value=MOST_DAYS)
    max_uses = forms.IntegerField(label="How many people may use it", initial=1, min_value=1, max_value=1000)
    emails = forms.CharField(
        label="Send to",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="E-mail addresses, one a line: each gets a link of its own. Leave empty to get one link to pass on.",
    )

    def clean_emails(self) -> list[str]:
        found: list[str] = self.cleaned_data["emails"].replace(",", " ").replace(";", " ").split()
        return found


class MachineForm(forms.Form):
    CALLED = {"username": "name"}  # by the service: attempt

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "id_machine_%s", **kwargs})  # stands beside InviteForm: no id twice in a page

    name = forms.CharField(
        max_length=80,
        help_text="Letters, digits and . + - _, such as llm-judge.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(choices=[(r.value, r.label) for r in (Role.ASSESSOR, Role.PARTICIPANT)])


class DocumentsForm(forms.Form):
    file = FileField(
        label="File of documents",
        help_text="JSON, TREC's &lt;DOC&gt; elements, TSV, SMART, or an archive of texts and pages; gzip, bzip2, Zstandard, zip or tar.",
    )
    format = forms.ChoiceField(label="Format", choices=list(FORMATS.items()), initial="auto", required=False)
    encoding = forms.ChoiceField(choices=list(ENCODINGS.items()), initial="utf-8", required=False)
    only = forms.ChoiceField(
        label="Keep",
        choices=[("all", "Every document of the file"), ("pool", "Only what the pool needs: the rest is read and left out")],
        initial="all",
        required=False,
        widget=forms.RadioSelect,
    )

    others = forms.ChoiceField(
        label="If documents that are here are missing in the file",
        choices=[
            ("refuse", "Refuse the file, and tell me which they are"),
            ("keep", "Keep them, and add the file’s documents"),
            ("drop", "Drop them: the file replaces all documents"),
        ],
        initial="refuse",
        required=False,
        widget=forms.RadioSelect,
    )

    def options(self) -> dict[str, str]:
        return {name: self.cleaned_data.get(name, "") for name in ("format", "encoding", "only", "others")}


class TopicsForm(forms.Form):
    file = FileField(
        label="File of topics", help_text="TREC's &lt;top&gt; elements, XML, JSON lines, SMART, or lines of number, tab, title."
    )
    encoding = forms.ChoiceField(
        choices=list(ENCODINGS.items()), initial="utf-8", required=False, help_text="Older files are often Windows-1252."
    )
    language = forms.CharField(
        required=False, help_text="Of topics that name none: a tag such as en, fr or pt-BR; may stay empty."
    )
    numbering = forms.ChoiceField(
        label="Numbers",
        choices=[("given", "As in the file"), ("running", "1, 2, 3 … in the order of the file")],
        initial="given",
        required=False,
        widget=forms.RadioSelect,
    )
    parallel = forms.BooleanField(
        label="Add as another language version",
        required=False,
        help_text="The topics stay; those of the file are the same topics in its language.",
    )
    drop = forms.BooleanField(
        label="Drop topics that the file lacks",
        required=False,
        help_text="Otherwise a file without them is refused. A topic with pooled documents is never dropped.",
    )

    def options(self) -> dict[str, str]:
        given = {name: self.cleaned_data[name] for name in ("encoding", "language", "numbering")}
        return {**given, **{name: "yes" if self.cleaned_data[name] else "" for name in ("parallel", "drop")}}


class TopicForm(forms.Form):
    title = forms.CharField(widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}))  # a field of one line cuts long ones off
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}))
    narrative = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 8, "dir": "auto"}))
    language = forms.CharField(required=False, help_text="A tag such as en; may stay empty.")
    of = forms.CharField(max_length=20, required=False, widget=forms.HiddenInput)


class _UtcTimeField(forms.DateTimeField):
    """Read and shown as a time of UTC, whatever zone the pages have."""

    def to_python(self, value: Any) -> Any:
        with timezone.override(UTC):
            return super().to_python(value)

    def prepare_value(self, value: Any) -> Any:
        with timezone.override(UTC):
            return super().prepare_value(value)


class RulesForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Collection
        fields = ["max_per_topic", "expected_per_topic", "runs_per_group", "strict_runs", "runs_open_at", "runs_close_at"]
        widgets = {
            name: forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
            for name in ("runs_open_at", "runs_close_at")
        }
        field_classes = dict.fromkeys(widgets, _UtcTimeField)


class _FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class _FilesField(FileField):
    """One file or several; a list in any case."""

    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        given = data if isinstance(data, list | tuple) and data else [data]
        return [super(_FilesField, self).clean(one, initial) for one in given]


def _figure_fields() -> dict[str, forms.Field]:
    fields: dict[str, forms.Field] = {}
    for figure in FIGURES:
        label = f"{figure.label} ({figure.unit})"
        fields[f"{FIGURE_PREFIX}{figure.name}"] = forms.FloatField(label=label, required=False, min_value=0)
    return fields


KINDS = [
    (RunKind.AUTOMATIC, "Automatic: no human hand between topic and ranking"),
    (RunKind.MANUAL, "Manual: a person took part in making the ranking"),
]


class FiguresForm(forms.Form):
    """Efficiency, as far as it is known; stands folded beside another form."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update(_figure_fields())

    def figures(self) -> dict[str, float]:
        given = {name.removeprefix(FIGURE_PREFIX): value for name, value in self.cleaned_data.items()}
        return {name: value for name, value in given.items() if value is not None}

    def options(self) -> dict[str, str]:
        return {name: repr(value) for name, value in self.cleaned_data.items() if value is not None}


class RunsForm(forms.Form):
    file = _FilesField(
        label="Run files",
        help_text="Six columns: topic Q0 docno rank score tag. The tag: letters, digits, “_”, “-” and “.”, 25 at most. Several at once, packed or in one archive; a YAML file of ir_metadata goes with the run of its name.",
    )
    tag = forms.CharField(
        label="Tag, instead of the file’s",
        required=False,
        help_text="Of one run alone. Where its tag is too long or taken: the run is called so everywhere, the file is kept as it is.",
    )
    group = forms.CharField(required=False, help_text="Who made these runs, such as a team or an institute.")
    kind = forms.ChoiceField(
        choices=[("", "As its metadata or the run it replaces tell; else automatic"), *KINDS],
        required=False,
        widget=forms.RadioSelect,
    )
    description = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="How these runs were made."
    )
    priority = forms.IntegerField(
        min_value=1,
        max_value=999,
        required=False,
        help_text="Of your group's runs, the lowest is pooled first. Leave empty for 1, or that of the run that is replaced.",
    )
    language = forms.CharField(label="Topics read in", required=False, help_text="The language, where the topics have several.")
    replace = forms.BooleanField(
        label="Replace runs of the same tag", required=False, help_text="The earlier file is kept in the run's history."
    )
    repair = forms.MultipleChoiceField(
        choices=list(REPAIRS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Only where the check calls for it. The file is kept as it is; the run is marked as repaired.",
    )

    def options(self) -> dict[str, str]:
        data = self.cleaned_data
        given = {name: data[name] for name in ("tag", "group", "kind", "description", "language")}
        given["repair"] = ",".join(data["repair"])
        return {**given, "priority": str(data["priority"] or ""), "replace": "yes" if data["replace"] else ""}


class BaselineForm(forms.Form):
    """A run of our own; what is out of range the model says."""

    model = forms.ChoiceField(choices=list(baseline.MODELS.items()))
    fields_ = forms.ChoiceField(label="Of each topic", choices=[(name, name.replace("+", " and ")) for name in baseline.FIELDS])
    feedback = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=0,
        required=False,
        help_text="Pseudo-relevance feedback from this many documents; 0: none.",
    )
    k1 = forms.FloatField(label="k1", initial=1.2, min_value=0, max_value=1000, required=False)
    b = forms.FloatField(label="b", initial=0.75, min_value=0, max_value=1, required=False)
    k3 = forms.FloatField(label="k3", min_value=0, max_value=1000, required=False, help_text="For long topics; empty: none.")
    idf = forms.ChoiceField(label="IDF", choices=list(baseline.IDFS.items()), required=False)
    depth = forms.IntegerField(label="Documents per topic", min_value=1, max_value=baseline.MOST_DEPTH, initial=1000)
    tag = forms.CharField(
        max_length=25,
        required=False,
        help_text="Letters, digits, “_”, “-” and “.”, 25 at most. Leave empty for assize-bm25 or the like.",
    )

    def made(self) -> baseline.Model:
        given = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        try:
            return baseline.Model(**{("fields" if name == "fields_" else name): value for name, value in given.items()})
        except ValueError as error:
            raise Refusal(str(error)) from error


class RunForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Run
        fields = ["group", "kind", "description", "priority", "language"]
        labels = {"language": "Topics read in"}
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}


class PoolForm(forms.Form):
    """Made from what the strategy declares; the runs of the collection are ticked at first."""

    strategy = forms.ChoiceField(choices=[(name, name) for name in STRATEGIES], required=False, widget=forms.HiddenInput)
    seed = forms.IntegerField(min_value=0, widget=forms.HiddenInput)  # so that what chance drew is what was shown

    def __init__(self, *args: Any, strategy: str, runs: Iterable[Run], pace: float | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["strategy"].initial = strategy
        self.parameters = STRATEGIES[strategy].all_parameters
        self.fields.update({parameter.name: _parameter_field(parameter) for parameter in self.parameters})
        self.fields["seconds"] = forms.FloatField(
            label="Seconds per judgment",
            min_value=PACES[0],
            max_value=PACES[1],
            required=False,
            help_text=f"{pace:.0f} as seen so far, unless given." if pace else "To tell hours before anything is judged.",
        )
        self.known = {str(run.pk): run for run in runs}
        choices = [(key, _run_label(run)) for key, run in self.known.items()]
        ticks = forms.CheckboxSelectMultiple(attrs={"class": "columns"})
        needed = not any(parameter.name == "candidates" for parameter in self.parameters)
        if self.known:
            field = forms.MultipleChoiceField(choices=choices, initial=list(self.known), widget=ticks, required=needed)
            self.fields["runs"] = field

    def chosen(self) -> list[Run]:
        return [self.known[key] for key in self.cleaned_data.get("runs", [])]

    def values(self) -> dict[str, Any]:
        given = {parameter.name: self.cleaned_data.get(parameter.name) for parameter in self.parameters}
        return {name: value for name, value in given.items() if value not in (None, "")}


def _parameter_field(parameter: Parameter) -> forms.Field:
    common: dict[str, Any] = {
        "label": parameter.label,
        "help_text": parameter.help,
        "initial": parameter.default,
        "required": parameter.default is not None and parameter.kind != "choice",
    }
    if parameter.kind == "choice":
        return forms.ChoiceField(choices=parameter.choices, **common)
    if parameter.kind == "text":
        return forms.CharField(max_length=200, **common)
    common |= {"min_value": parameter.low, "max_value": parameter.high}
    return forms.IntegerField(**common) if parameter.kind == "int" else forms.FloatField(**common)


def _run_label(run: Run) -> str:
    """Shown as the tag and, below it, whose and how long it is."""
    whose = f"{run.group}, " if run.group else ""
    return f"{run.tag}: {whose}{run.line_count:,} lines"
