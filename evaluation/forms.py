"""Forms of evaluation. They clean; the rules live in the services."""

from __future__ import annotations

from django import forms

from assess.models import MergeRule
from evaluation.models import Release


class FreezeForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Release
        fields = ["rule", "note"]
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}
        help_texts = {"note": "What is in it, or what changed since the last one; shown beside the release."}

    rule = forms.ChoiceField(
        label="Of several opinions",
        choices=[(rule.value, f"Take {rule.label}") for rule in MergeRule],
        widget=forms.RadioSelect,
    )


class ImportForm(forms.Form):
    """Qrels that were made elsewhere."""

    file = forms.FileField(
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
        required=False,
        max_length=150,
        help_text="Whose judgments they are, if the file has no column that tells; a name of your own.",
    )
    repeats = forms.ChoiceField(
        label="Judged twice by one assessor",
        choices=[("refuse", "is a fault"), ("first", "the first counts"), ("last", "the last counts")],
        initial="refuse",
        required=False,
    )
    grades = forms.CharField(
        label="Their grades as ours",
        required=False,
        max_length=500,
        help_text="Where their scale is another: theirs=ours, such as 1=2 2=3. What is not named stays; a grade below 0 is none.",
    )
    note = forms.CharField(
        required=False, max_length=5000, widget=forms.Textarea(attrs={"rows": 2}), help_text="Of a release: what it is."
    )
