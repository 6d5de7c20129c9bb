"""Forms of judging and assigning. They clean; the rules live in the services."""

import uuid
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from assess.models import AssignmentPlan, Order
from assess.services.assigning import MOST_SEED, Rules, Wanted
from assess.services.practice import Example
from assess.services.questions import MOST_TEXT
from config.models import User
from pooling.models import Topic

EVERYBODY, LEFT = "all", "left"


class ActForm(forms.Form):
    """An act of an assessor; its faults in one line, since a script or a program may have sent it."""

    @property
    def faults(self) -> str:
        return "; ".join(f"{name}: {' '.join(map(str, found))}" for name, found in self.errors.items())


class WordsForm(ActForm):
    """Own words of a topic; and the document to go back to."""

    topic = forms.CharField(max_length=1000, strip=False)
    words = forms.CharField(required=False, max_length=10_000)
    seat = forms.UUIDField(required=False)


class HeldForm(ActForm):
    """The documents that a page holds and that wait for a judgment."""

    held = forms.CharField(required=False, max_length=4000)

    def clean_held(self) -> list[uuid.UUID]:
        try:
            return [uuid.UUID(word) for word in self.cleaned_data["held"].split(",") if word][:50]
        except ValueError:
            raise ValidationError("Expected tokens of seats, separated by commas.") from None


class HoldForm(HeldForm):
    """A page that is looked at, or that is left."""

    leave = forms.BooleanField(required=False)


class JudgmentForm(HeldForm):
    """One act of judging, from the page's script or, without script, from its buttons."""

    grade = forms.IntegerField(required=False, min_value=-127, max_value=127)
    answer = forms.CharField(required=False, max_length=40)
    reason = forms.CharField(required=False, max_length=10_000)
    note = forms.CharField(required=False, max_length=100_000)
    known = forms.CharField(required=False, max_length=5)
    client_id = forms.UUIDField()
    seconds = forms.FloatField(required=False)
    seen = forms.IntegerField(required=False, min_value=0)

    def clean(self) -> dict[str, Any]:
        """What was not sent stays as it is: None, unlike a note that was emptied."""
        data = super().clean() or {}
        data["answer"] = data.get("answer") or None
        for name in ("reason", "note"):
            data[name] = data.get(name) if name in self.data else None
        data["known"] = {"true": True, "false": False}.get(data.get("known", ""))
        return data


class PlanForm(forms.Form):
    """How much two judge, and the seed of all that is drawn."""

    overlap = forms.FloatField(
        label="Overlap, in %", min_value=0, max_value=100, initial=0, help_text="Of each topic, judged by two."
    )
    seed = forms.IntegerField(required=False, min_value=0, max_value=MOST_SEED, help_text="Empty: as it is.")

    def clean_overlap(self) -> float:
        return float(self.cleaned_data["overlap"]) / 100


class RulesForm(forms.Form):
    """What all assignments have in common."""

    third = forms.FloatField(
        label="Third opinions, in %", min_value=0, max_value=100, help_text="Of each topic; at most the overlap."
    )
    repeats = forms.FloatField(
        label="Hidden repeats, in %",
        min_value=0,
        max_value=100,
        help_text="Of what somebody judged, comes back to them as if it were new: do they agree with themselves?",
    )
    order = forms.ChoiceField(
        label="Order within a topic",
        choices=Order.choices,
        help_text="By chance tells nobody how the runs ranked a document.",
    )
    by_item = forms.BooleanField(
        required=False,
        label="Item by item: whoever is free takes the next document",
        help_text="For crowds: of topics that everybody shares, anybody gives any opinion, nobody two of one document.",
    )
    count_machines = forms.BooleanField(
        required=False,
        label="Count what machines judge",
        help_text="In releases, agreement and figures. Otherwise it is a layer of its own.",
    )

    @staticmethod
    def start(plan: AssignmentPlan | None) -> dict[str, Any]:
        if plan is None:
            return {"third": 0, "repeats": 0, "order": Order.SHUFFLE}
        shares = {"third": f"{100 * plan.third:g}", "repeats": f"{100 * plan.repeats:g}"}
        return {**shares, "order": plan.order, "by_item": plan.by_item, "count_machines": plan.count_machines}

    def rules(self) -> Rules:
        data = self.cleaned_data
        return Rules(**{**data, "third": data["third"] / 100, "repeats": data["repeats"] / 100})


class WorkloadForm(forms.Form):
    """A weight and a cap for each assessor, as fields weight-ID and cap-ID."""

    def __init__(self, *args: Any, assessors: Sequence[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people = assessors

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        data["workloads"] = [(user, *self._of(user)) for user in self.people if f"weight-{user.pk}" in self.data]
        return data

    def _of(self, user: User) -> tuple[float, int | None]:
        weight, cap = self.data[f"weight-{user.pk}"].strip(), self.data.get(f"cap-{user.pk}", "").strip()
        try:
            return float(weight or 1), int(cap) if cap else None
        except ValueError:
            found = f"“{weight[:20]}” and “{cap[:20]}”"
            raise ValidationError(
                f"{user.name}: expected a number as weight, and a whole one or nothing as cap; found {found}."
            ) from None


class AskForm(forms.Form):
    """A question about one of one's documents."""

    def __init__(self, *args: Any, documents: Sequence[tuple[uuid.UUID, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["seat"] = forms.TypedChoiceField(
            label="Document", choices=[(str(token), name) for token, name in documents], coerce=uuid.UUID
        )
        self.order_fields(["seat", "text"])

    text = forms.CharField(label="Question", max_length=MOST_TEXT, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}))


class AnswerForm(forms.Form):
    question = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    text = forms.CharField(label="Answer", max_length=MOST_TEXT, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}))


class PracticeForm(ActForm):
    """A grade for a document to practise on."""

    item = forms.IntegerField(min_value=1)
    grade = forms.IntegerField(min_value=-127, max_value=127)


class PracticeSetForm(forms.Form):
    """A topic's practice set, a document a line."""

    lines = forms.CharField(
        label="Documents",
        required=False,
        max_length=200_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "dir": "auto"}),
        help_text="A line each: the document’s number, its grade, and why, parted by spaces or tabs. No line: no practice.",
    )

    def __init__(self, *args: Any, topics: Sequence[Topic], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.topics = {topic.number: topic for topic in topics}
        self.fields["topic"] = forms.TypedChoiceField(
            choices=[(number, f"{number} {topic.title[:80]}") for number, topic in self.topics.items()],
            coerce=self.topics.__getitem__,
        )
        self.order_fields(["topic", "lines"])

    def clean_lines(self) -> list[Example]:
        return practice_examples(self.cleaned_data["lines"])


def practice_examples(text: str) -> list[Example]:
    """Of lines of docno, grade and reason."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        docno, _, rest = line.strip().replace("\t", " ").partition(" ")
        grade, _, reason = rest.strip().partition(" ")
        try:
            found.append(Example(docno, int(grade), reason.strip()))
        except ValueError:
            told = f"line {number}: expected a document’s number, a grade and a reason; found “{line[:80]}”."
            raise ValidationError(told) from None
    return found


class AutoForm(PlanForm):
    def __init__(self, *args: Any, assessors: Sequence[User], **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "id_auto_%s", **kwargs})
        self.people = {str(user.pk): user for user in assessors}
        named = [(pk, f"{user.name} ({user.username})") for pk, user in self.people.items()]
        self.fields["assessors"] = forms.MultipleChoiceField(
            choices=named, initial=list(self.people), widget=forms.CheckboxSelectMultiple
        )
        self.order_fields(["assessors", "topics", "overlap", "seed"])

    topics = forms.ChoiceField(
        choices=[("open", "those without an assessor"), ("all", "all, whoever has them now")],
        initial="open",
        widget=forms.RadioSelect,
    )

    def wanted(self) -> dict[str, Any]:
        data = self.cleaned_data
        people = [self.people[pk] for pk in data["assessors"]]
        return {"assessors": people, "overlap": data["overlap"], "seed": data["seed"], "everything": data["topics"] == "all"}


class GridForm(PlanForm):
    """A first and a second assessor for each topic of the page, as fields first-ID and second-ID."""

    def __init__(self, *args: Any, assessors: Sequence[User], topics: Sequence[Topic], **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "id_grid_%s", **kwargs})
        self.people = {str(user.pk): user for user in assessors}
        self.topics = topics

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        sent = [topic for topic in self.topics if f"first-{topic.pk}" in self.data]
        data["wanted"] = [self._line(topic) for topic in sent if not self._left(topic)]
        return data

    def _left(self, topic: Topic) -> bool:
        """Somebody who is no assessor any more still stands there: the topic stays as it is until another is chosen."""
        return any(self.data.get(f"{slot}-{topic.pk}") == LEFT for slot in ("first", "second", "third"))

    def _line(self, topic: Topic) -> Wanted:
        second = self._people(topic, self.data.get(f"second-{topic.pk}", ""))
        third = self._people(topic, self.data.get(f"third-{topic.pk}", ""))
        chosen = self.data[f"first-{topic.pk}"]
        if chosen == EVERYBODY:  # all but who gives the second opinion
            named = [*second, *third]
            return Wanted(topic, [user for user in self.people.values() if user not in named], second, third)
        return Wanted(topic, self._people(topic, chosen), second, third)

    def _people(self, topic: Topic, chosen: str) -> list[User]:
        if chosen and chosen not in self.people:
            raise ValidationError(f"Topic {topic.number}: expected an assessor of this collection; found “{chosen[:40]}”.")
        return [self.people[chosen]] if chosen else []
