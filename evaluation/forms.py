"""Forms of evaluation. They clean; the rules live in the services."""

from __future__ import annotations

from django import forms

from evaluation.models import MergeRule, Release


class FreezeForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Release
        fields = ["rule", "note"]
        widgets = {"note": forms.Textarea(attrs={"rows": 3})}
        help_texts = {"note": "What is in it, or what changed since the last one; shown beside the release."}

    rule = forms.ChoiceField(
        label="Where two differ",
        choices=[(rule.value, f"Take {rule.label}") for rule in MergeRule],
        initial=MergeRule.PRIMARY,
        widget=forms.RadioSelect,
    )
