"""Forms of collections, members, uploads and pools. They clean; the rules live in the services."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import validate_email
from django.forms import BaseFormSet, formset_factory

from pooling.core.presets import PRESETS, GradeSpec
from pooling.models import Collection, Grade, Role, Run, RunKind
from pooling.services import pools


class CreateForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Collection
        fields = ["name", "slug", "task", "description", "visibility"]
        labels = {"slug": "Address"}
        error_messages = {"slug": {"unique": "There is a collection with this address already."}}
        help_texts = {"task": "Fills in the scale, the thresholds and the official measures; you can change them."}
        widgets = {"description": forms.Textarea(attrs={"rows": 5}), "visibility": forms.RadioSelect}

    task = forms.ChoiceField(
        choices=[(p.slug, f"{p.label}: {p.about}") for p in PRESETS.values()], widget=forms.RadioSelect, initial="ad-hoc"
    )


class EditForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Collection
        fields = ["name", "description", "visibility"]
        widgets = {"description": forms.Textarea(attrs={"rows": 8}), "visibility": forms.RadioSelect}

    measures = forms.CharField(
        label="Official measures",
        max_length=500,
        help_text="Separated by spaces, such as AP nDCG@10 P@10; the first one orders the leaderboard.",
    )

    def clean_measures(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["measures"].replace(",", " ").split()))


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
    days = forms.IntegerField(label="Valid for, in days", initial=14, min_value=1, max_value=365)
    max_uses = forms.IntegerField(label="How many people may use it", initial=1, min_value=1, max_value=1000)
    emails = forms.CharField(
        label="Send to",
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="E-mail addresses, one a line: each gets a link of its own. Empty: you get one link to pass on.",
    )

    def clean_emails(self) -> list[str]:
        found = self.cleaned_data["emails"].replace(",", " ").replace(";", " ").split()
        for address in found:
            try:
                validate_email(address)
            except ValidationError:
                raise ValidationError(f"“{address}” is not an e-mail address.") from None
        return list(dict.fromkeys(found))


class MachineForm(forms.Form):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "id_machine_%s", **kwargs})  # stands beside InviteForm: no id twice in a page

    name = forms.CharField(
        max_length=80,
        help_text="Letters, digits and . + - _, such as llm-judge.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(choices=[(r.value, r.label) for r in (Role.ASSESSOR, Role.PARTICIPANT)])


class DocumentsForm(forms.Form):
    file = forms.FileField(
        label="File of documents",
        help_text="One JSON object on each line: id, and title, text, url, lang, date as far as you have them. Gzipped is fine.",
    )


class TopicsForm(forms.Form):
    file = forms.FileField(label="File of topics", help_text="TREC's <top> elements, or lines of number, tab, title.")
    encoding = forms.ChoiceField(
        choices=[("utf-8", "UTF-8"), ("cp1252", "Windows-1252")], initial="utf-8", help_text="Older files are often the second."
    )


class _FilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    """One file or several; a list in any case."""

    widget = _FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        given = data if isinstance(data, list | tuple) and data else [data]
        return [super(_FilesField, self).clean(one, initial) for one in given]


class RunsForm(forms.Form):
    file = _FilesField(
        label="Run files",
        help_text="Six columns: topic Q0 docno rank score tag. One file is one run; choose several at once. Gzipped is fine.",
    )
    group = forms.CharField(max_length=80, required=False, help_text="Who made these runs, such as a team or an institute.")
    kind = forms.ChoiceField(
        choices=[
            (RunKind.AUTOMATIC, "Automatic: no human hand between topic and ranking"),
            (RunKind.MANUAL, "Manual: anything else"),
        ],
        initial=RunKind.AUTOMATIC,
        widget=forms.RadioSelect,
    )
    description = forms.CharField(
        max_length=5000, required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="How these runs were made."
    )

    def options(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in ("group", "kind", "description")}


class PoolForm(forms.Form):
    depth = forms.IntegerField(
        min_value=1, max_value=pools.MOST_DEPTH, initial=10, help_text="So many documents of each run and topic are judged."
    )

    def __init__(self, *args: Any, runs: Iterable[Run], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.known = {str(run.pk): run for run in runs}
        choices = [(key, _run_label(run)) for key, run in self.known.items()]
        ticks = forms.CheckboxSelectMultiple(attrs={"class": "columns"})
        self.fields["runs"] = forms.MultipleChoiceField(choices=choices, initial=list(self.known), widget=ticks)

    def chosen(self) -> list[Run]:
        return [self.known[key] for key in self.cleaned_data["runs"]]


def _run_label(run: Run) -> str:
    """Shown as the tag and, below it, whose and how long it is."""
    whose = f"{run.group}, " if run.group else ""
    return f"{run.tag}: {whose}{run.line_count:,} lines"
