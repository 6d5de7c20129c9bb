"""Forms of evaluation. They clean; the rules live in the services."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import capfirst

from assess.models import MergeRule
from config.forms import FileField
from evaluation.core.comparison import CORRECTION_WORDS, TEST_WORDS
from evaluation.models import Release, Seen
from evaluation.services import planning
from pooling import measures


class FreezeForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Release
        fields = ["rule", "note"]
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}
        help_texts = {"note": "What is in it, or what changed since the last one; shown beside the release."}

    rule = forms.ChoiceField(
        label="When opinions differ",
        choices=[(rule.value, f"Take {rule.label}") for rule in MergeRule],
        widget=forms.RadioSelect,
    )


class ImportForm(forms.Form):
    """Qrels that were made elsewhere."""

    file = FileField(
        help_text="Qrels (topic 0 docno grade), or columns topic, docno, assessor, grade with or without a head; packed or not."
    )
    kind = forms.ChoiceField(
        label="What becomes of it",
        choices=[
            ("judgments", "Judgments: they stand beside those made here, and can be continued"),
            ("release", "A release: frozen as it is, as a draft"),
        ],
        initial="judgments",
        widget=forms.RadioSelect,
    )
    assessor = forms.CharField(
        label_suffix="unless the file tells",
        required=False,
        help_text="Whose judgments they are, where no column of the file names them: any name, such as nist.",
    )
    repeats = forms.ChoiceField(
        label="If one assessor judged a document twice, with different grades",
        choices=[("refuse", "Refuse the file"), ("first", "Keep the first"), ("last", "Keep the last")],
        initial="refuse",
        required=False,
    )
    unknown = forms.ChoiceField(
        label="If nearly all of its documents are unknown",
        choices=[("refuse", "Refuse the file"), ("take", "Accept it")],
        initial="refuse",
        required=False,
        help_text="It may be for another collection, and an import is not taken back. A few unknown documents are accepted in any case, and told.",
    )
    zeros = forms.ChoiceField(
        label="If zeros are all that differs, as in 0858 for 858",
        choices=[("refuse", "Refuse the file"), ("drop", "Drop them: 0858 is 858"), ("keep", "Keep them: 0858 is unknown")],
        initial="refuse",
        required=False,
    )
    grades = forms.CharField(
        label="Map grades",
        required=False,
        max_length=500,
        help_text="Where the file’s scale is another: the file’s grade = the one here. With 1=2 2=3 each 1 becomes a 2 and each 2 a 3. Other grades stay; one below 0 is no judgment.",
    )
    note = forms.CharField(
        required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 2}), help_text="Of a release: what it is."
    )
    sample = forms.ChoiceField(
        label="Meaning of a fifth column",
        choices=[
            ("", "Look into the file"),
            ("strata", "Stratum: topic 0 docno stratum grade"),
            ("prels", "Probability: topic docno grade method probability"),
        ],
        required=False,
        help_text="Only of qrels of a sample, for a release. Choose one where the file may be read as either.",
    )


class ScoringForm(forms.Form):
    shown = forms.CharField(
        label="Measures beside the official ones",
        required=False,
        max_length=1000,
        help_text="Any measures, separated by spaces; empty: the usual ones. The official ones are set in the settings.",
    )
    test = forms.ChoiceField(
        label="Test of differences from the best run", choices=[(name, capfirst(words)) for name, words in TEST_WORDS.items()]
    )
    correction = forms.ChoiceField(
        label="Correction for the number of tests",
        choices=list(CORRECTION_WORDS.items()),
        help_text="Benjamini-Hochberg bounds the share of false discoveries, the others the chance of any. Tukey's tests need none.",
    )
    seen = forms.ChoiceField(
        label="What others than organizers see after a release",
        choices=Seen,
        widget=forms.RadioSelect,
        help_text="Holds for everybody who may see releases, by page, API and download.",
    )
    expected = forms.CharField(
        label="Relevant documents that a user expects",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For relative recall and recall effort: a topic and a number on each line.",
    )
    known = forms.CharField(
        label="Documents that a user knows",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="For coverage and novelty: a topic and a docno on each line. Of topics without any, those that assessors marked as known.",
    )

    known_file = FileField(
        label="The same as a file",
        required=False,
        help_text="Lines of topic and docno, packed or not; it takes the place of what stands above.",
    )

    def plan(self) -> dict[str, Any]:
        given = {**self.cleaned_data, "shown": measures.named(self.cleaned_data["shown"])}
        if file := given.pop("known_file"):
            given["known"] = planning.known_text(file.read(planning.LARGEST_KNOWN + 1))
        return given | {"expected": planning.read_expected(given["expected"]), "known": planning.read_known(given["known"])}


class TryForm(forms.Form):
    def __init__(self, *args: Any, releases: list[int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["release"] = forms.ChoiceField(choices=[(str(number), f"release {number}") for number in releases])

    file = FileField(label="Run", help_text="Six columns: topic Q0 docno rank score tag; packed or not, up to 50 MB.")
    keep = forms.BooleanField(
        required=False, label="Keep the report", help_text="For you alone; the run itself is thrown away in any case."
    )


class StrategiesForm(forms.Form):
    budget = forms.IntegerField(
        label="Judgments of each topic",
        min_value=1,
        max_value=1000,
        help_text="Each strategy may spend this many; then runs are scored by what it found, and compared with their scores by all judgments. Half of what a topic has judged, at most 50, unless you say.",
    )
