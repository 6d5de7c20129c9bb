"""The grid of the assign page: a row for each topic, a column for each assessor, and in a cell which opinion they give."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError

from assess.forms import PlanForm
from assess.models import SLOTS
from assess.selectors import TopicPlan
from assess.services.assigning import Wanted
from config.models import User

MOST_TOPICS, LEAST_TOPICS = 50, 5
CELLS = 2000  # on a page
CHOICES = ("", *(str(slot) for slot in SLOTS))


def topics_on_a_page(people: int) -> int:
    """So many that a page stays quick, and its cells within what a form may send."""
    return max(LEAST_TOPICS, min(MOST_TOPICS, CELLS // max(people, 1)))


@dataclass(frozen=True)
class Row:
    """A topic as the grid shows it: a slot for each assessor, who has it and is none any more, and how many share it."""

    line: TopicPlan
    cells: list[tuple[User, str]]
    gone: list[tuple[User, int]]

    @property
    def sharing(self) -> int:
        return len(self.line.first) if len(self.line.first) > 1 else 0


class GridForm(PlanForm):
    """Of each topic that was shown: s-TOPIC-USER is a slot or empty, was-TOPIC what it was when it was shown, and all-TOPIC
    gives it to everybody else. A row that nobody changed stays as it is, whatever it has become meanwhile."""

    def __init__(self, *args: Any, assessors: Sequence[User], lines: Sequence[TopicPlan], **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "id_grid_%s", **kwargs})
        self.people = assessors
        self.lines = lines

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        data["wanted"] = [self._wanted(line) for line in self.lines if self._is_changed(line)]
        if not data["wanted"] and not any(line.first for line in self.lines):
            raise ValidationError("Nobody is chosen: give a topic to an assessor first.")
        if not data["wanted"] and not self.errors and self._is_as_it_was(data):
            raise ValidationError("Nothing is changed, so there is nothing to assign.")
        return data

    def rows(self, lines: Sequence[TopicPlan]) -> Iterator[Row]:
        """As they are, or as they were sent if that was refused."""
        able = {user.pk for user in self.people}
        for line in lines:
            now = line.slots
            typed = self.is_bound and self.data.get(f"was-{line.topic.pk}") == line.state
            cells = [(user, self._sent(line, user) if typed else str(now.get(user.pk, ""))) for user in self.people]
            gone = [(user, slot) for slot, group in line.groups for user in group if user.pk not in able]
            yield Row(line, cells, gone)

    def _sent(self, line: TopicPlan, user: User) -> str:
        found = str(self.data.get(f"s-{line.topic.pk}-{user.pk}", ""))
        return "1" if not found and f"all-{line.topic.pk}" in self.data else found

    def _is_as_it_was(self, data: dict[str, Any]) -> bool:
        return f"{100 * data['overlap']:g}" == self.initial["overlap"] and data["seed"] in (None, self.initial["seed"])

    def _is_changed(self, line: TopicPlan) -> bool:
        was = self.data.get(f"was-{line.topic.pk}")
        if was is None:
            return False
        before = dict(pair.split(":", 1) for pair in was.split(",") if ":" in pair)
        return any(self._sent(line, user) != before.get(str(user.pk), "") for user in self.people)

    def _wanted(self, line: TopicPlan) -> Wanted:
        number = line.topic.number
        if self.data[f"was-{line.topic.pk}"] != line.state:
            raise ValidationError(f"Topic {number} was assigned anew while you looked at it: look at it again.")
        groups: dict[str, list[User]] = {choice: [] for choice in CHOICES}
        for user in self.people:
            sent = self._sent(line, user)
            if sent not in groups:
                raise ValidationError(f"Topic {number}: expected 1, 2, 3 or nothing for {user.name}; found “{sent[:40]}”.")
            groups[sent].append(user)
        return Wanted(line.topic, *(groups[str(slot)] for slot in SLOTS))
