"""Forms of judging and assigning. They clean; the rules live in the services."""

import uuid
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from assess.blind import OwnTopic
from assess.core import passages
from assess.models import Answer, AssignmentPlan, DecisionReason, MergeRule, Missing, Order
from assess.own import Filters
from assess.services.assigning import MOST_SEED, Rules
from assess.services.merging import MOST_OPINIONS
from assess.services.questions import MOST_TEXT
from config.models import User
from pooling.models import Grade, Topic


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


def _tokens(words: str) -> list[uuid.UUID]:
    try:
        return [uuid.UUID(word) for word in words.split(",") if word][:50]
    except ValueError:
        raise ValidationError("Expected tokens of seats, separated by commas.") from None


class HeldForm(ActForm):
    """The documents that a page holds and that wait for a judgment."""

    held = forms.CharField(required=False, max_length=4000)

    def clean_held(self) -> list[uuid.UUID]:
        return _tokens(self.cleaned_data["held"])


class SeatsForm(ActForm):
    """Documents that something is asked of."""

    seats = forms.CharField(max_length=4000)

    def clean_seats(self) -> list[uuid.UUID]:
        return _tokens(self.cleaned_data["seats"])


class HoldForm(HeldForm):
    """A page that is looked at, or that is left."""

    leave = forms.BooleanField(required=False)


class FreeForm(forms.Form):
    """What is given back: one document, or, with nothing said, all."""

    topic = forms.CharField(required=False, max_length=1000, strip=False)
    docno = forms.CharField(required=False, max_length=1000, strip=False)

    def document(self) -> tuple[str, str] | None:
        topic, docno = self.cleaned_data["topic"], self.cleaned_data["docno"]
        return (topic, docno) if topic or docno else None


class MergeForm(forms.Form):
    """How several opinions become one grade."""

    rule = forms.ChoiceField(
        label="Of several opinions, take", choices=[(rule.value, rule.label) for rule in MergeRule], widget=forms.RadioSelect
    )
    opinions = forms.IntegerField(label="Opinions needed for a grade", min_value=1, max_value=MOST_OPINIONS)
    missing = forms.ChoiceField(
        label="Documents with fewer, or with an open tie",
        choices=[(way.value, way.label) for way in Missing],
        widget=forms.RadioSelect,
    )
    differ_by = forms.IntegerField(
        label="Adjudicate when grades differ by at least", min_value=0, help_text="0: grades apart do not matter."
    )
    across = forms.BooleanField(required=False, label="Adjudicate what is relevant to one and not to another")
    cannot = forms.BooleanField(required=False, label="Adjudicate what somebody could not judge")
    show_own = forms.BooleanField(required=False, label="Assessors see their own agreement once a topic is judged")


class DecisionForm(ActForm):
    """An adjudicator's grade."""

    docno = forms.CharField(max_length=1000, strip=False)
    grade = forms.IntegerField()
    reason = forms.ChoiceField(
        required=False,
        label="Why did they differ?",
        choices=[("", "not said"), *((reason.value, reason.label) for reason in DecisionReason)],
    )
    comment = forms.CharField(required=False, max_length=100_000, widget=forms.Textarea(attrs={"rows": 2}))
    precedent = forms.CharField(
        required=False,
        max_length=10_000,
        label="Precedent",
        help_text="One line for the guidelines, so that the next one is clear.",
    )
    client_id = forms.UUIDField()
    seen = forms.IntegerField(required=False, min_value=0)


class ReopenForm(ActForm):
    topic = forms.CharField(max_length=1000, strip=False)
    docno = forms.CharField(max_length=1000, strip=False)
    comment = forms.CharField(required=False, max_length=100_000)
    client_id = forms.UUIDField()
    seen = forms.IntegerField(required=False, min_value=0)


class JudgmentForm(HeldForm):
    """One act of judging, from the page's script or, without script, from its buttons."""

    grade = forms.IntegerField(required=False)
    answer = forms.CharField(required=False)
    reason = forms.CharField(required=False, max_length=10_000)
    note = forms.CharField(required=False, max_length=100_000)
    known = forms.CharField(required=False, max_length=5)
    evidence = forms.CharField(required=False, max_length=10_000)
    client_id = forms.UUIDField()
    seconds = forms.FloatField(required=False)
    seen = forms.IntegerField(required=False, min_value=0)

    def clean_evidence(self) -> list[tuple[int, int]] | None:
        try:
            return passages.read(self.cleaned_data["evidence"]) if "evidence" in self.data else None
        except ValueError:
            raise ValidationError("Expected passages as start-end, separated by commas.") from None

    def clean(self) -> dict[str, Any]:
        """What was not sent stays as it is: None, unlike a note that was emptied."""
        data = super().clean() or {}
        data["answer"] = data.get("answer") or None
        for name in ("reason", "note"):
            data[name] = data.get(name) if name in self.data else None
        data["known"] = {"true": True, "false": False}.get(data.get("known", ""))
        return data


class HistoryForm(ActForm):
    """What to look for in one's own judgments."""

    topic = forms.ChoiceField(required=False)
    said = forms.ChoiceField(label="Said", required=False)
    words = forms.CharField(required=False, max_length=200, label="Words of title, note, reason")
    noted = forms.BooleanField(required=False, label="With note or passages")

    def __init__(self, *args: Any, grades: Sequence[Grade], topics: Sequence[OwnTopic], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        named = [(topic.number, f"{topic.number} {topic.title}"[:60]) for topic in topics]
        said = [(str(grade.value), f"{grade.value} {grade.label}") for grade in grades]
        self.fields["topic"].choices = [("", "all"), *named]  # type: ignore[attr-defined]
        others = [(Answer.CANNOT.value, "can’t judge"), (Answer.LATER.value, "put off"), (Answer.OPEN.value, "taken back")]
        self.fields["said"].choices = [("", "anything"), *said, *others]  # type: ignore[attr-defined]

    def filters(self) -> Filters:
        data = self.cleaned_data
        said, words = data["said"], data["words"].replace("\0", "")
        graded = said.lstrip("-").isdigit()
        return Filters(data["topic"], int(said) if graded else None, "" if graded else said, words, data["noted"])


class Percent(forms.FloatField):
    """A share that is written in percent. 0.3 is more likely a share of 30 % than three in a thousand."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_value=100, **kwargs)

    def clean(self, value: Any) -> Any:
        percent = super().clean(value)
        if percent is not None and 0 < percent < 1:
            raise ValidationError(
                f"Expected percent, such as {100 * percent:g}; found {percent:g}, less than one in a hundred."
            )
        return None if percent is None else percent / 100


class PlanForm(forms.Form):
    """How much two judge, and the seed of all that is drawn."""

    overlap = Percent(label="Overlap, in %", initial=0, help_text="Of each topic, judged by two.")
    seed = forms.IntegerField(required=False, min_value=0, max_value=MOST_SEED, help_text="Empty keeps the current one.")


class RulesForm(forms.Form):
    """What all assignments have in common."""

    third = Percent(label="Third opinions, in %", help_text="Of each topic; at most the overlap.")
    repeats = Percent(
        label="Hidden repeats, in %",
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
        return Rules(**self.cleaned_data)


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


class SeatForm(forms.Form):
    seat = forms.UUIDField()


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
    grade = forms.IntegerField()


class PracticeSetForm(forms.Form):
    """A topic's practice set, a document a line."""

    lines = forms.CharField(
        label="Documents",
        required=False,
        max_length=200_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "dir": "auto"}),
        help_text="A line each: its docno, its grade, and why, separated by spaces or tabs. No line: no practice. "
        "They are not handed out for judging, since who practises knows the answer; to have their grades in the qrels, import them.",
    )

    def __init__(self, *args: Any, topics: Sequence[Topic], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.topics = {topic.number: topic for topic in topics}
        self.fields["topic"] = forms.TypedChoiceField(
            choices=[(number, f"{number} {topic.title[:80]}") for number, topic in self.topics.items()],
            coerce=self.topics.__getitem__,
        )
        self.order_fields(["topic", "lines"])


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


class StopForm(forms.Form):
    """Stop a topic of an adaptive round, go on with it, or draw a sample of the rest."""

    act = forms.ChoiceField(choices=[("stop", "stop"), ("resume", "resume"), ("check", "check")])
    round = forms.IntegerField(min_value=1)
    topic = forms.CharField(max_length=255)
    reason = forms.CharField(required=False)
    count = forms.IntegerField(required=False)


class HitForm(forms.Form):
    """A grade for a document that was found by searching."""

    topic = forms.CharField(max_length=255)
    docno = forms.CharField(max_length=400, strip=False)
    grade = forms.IntegerField()
    client_id = forms.UUIDField()
    seen = forms.IntegerField(required=False, min_value=0)
    q = forms.CharField(max_length=1000, required=False)


class DraftForm(forms.Form):
    """A topic in the making; the rules are the service's."""

    number = forms.CharField()
    title = forms.CharField(widget=forms.TextInput(attrs={"dir": "auto"}))
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}))
    narrative = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}))
    words = forms.CharField(
        required=False,
        help_text="What is searched for; empty: the title.",
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    language = forms.CharField(required=False, help_text="A tag such as en; may stay empty.")


class DraftActForm(forms.Form):
    """What is done with a draft."""

    act = forms.ChoiceField(choices=[(one, one) for one in ("edit", "grade", "more", "accept", "drop")])
    docno = forms.CharField(max_length=400, required=False, strip=False)
    grade = forms.IntegerField(required=False)
    reason = forms.CharField(required=False)
