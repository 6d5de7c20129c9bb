"""Task presets: the scale, thresholds and official measures that a kind of task starts from."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GradeSpec:
    """One grade of a relevance scale. `key` is the digit an assessor presses."""

    value: int
    label: str
    definition: str = ""
    example: str = ""
    key: str = ""


@dataclass(frozen=True)
class Preset:
    """What a task brings along: its scale, lowest grade first, from which grade on a document is relevant, official measures."""

    slug: str
    label: str
    about: str
    grades: tuple[GradeSpec, ...]
    lenient: int
    strict: int
    measures: tuple[str, ...]


def _scale(*grades: tuple[str, str]) -> tuple[GradeSpec, ...]:
    return tuple(GradeSpec(value, label, definition, key=str(value)) for value, (label, definition) in enumerate(grades))


FOUR_GRADES = _scale(
    ("Not relevant", "Nothing in it answers the topic."),
    ("Partially relevant", "Touches the topic in passing, or answers a small part of it."),
    ("Relevant", "Answers the topic, though not only that, or not completely."),
    ("Highly relevant", "Devoted to the topic and answers it well."),
)

PRESETS: dict[str, Preset] = {
    preset.slug: preset
    for preset in (
        Preset(
            "ad-hoc",
            "Ad hoc search",
            "Find the documents on a topic; the classic task.",
            FOUR_GRADES,
            lenient=1,
            strict=2,
            measures=("AP", "nDCG"),
        ),
        Preset(
            "web",
            "Web search",
            "Short queries, large crawls; the top of the list is what counts.",
            FOUR_GRADES,
            lenient=1,
            strict=2,
            measures=("nDCG@10",),
        ),
        Preset(
            "known-item",
            "Known item",
            "One page is wanted; how high is it?",
            _scale(("Another page", "Not the page that was meant."), ("The page", "The page that was meant, or a copy of it.")),
            lenient=1,
            strict=1,
            measures=("RR", "Success@10"),
        ),
        Preset(
            "discussion",
            "Discussion search",
            "Messages or threads that discuss a topic, with arguments for or against.",
            _scale(
                ("Not relevant", "Does not speak of the topic."),
                ("On topic", "Speaks of the topic but brings no argument."),
                ("Discusses it", "Speaks of the topic and argues for or against."),
            ),
            lenient=1,
            strict=2,
            measures=("AP", "Bpref", "P@10"),
        ),
        Preset(
            "expert",
            "Expert finding",
            "People instead of documents: who knows about the topic?",
            _scale(
                ("Not an expert", "No evidence of knowledge of the topic."),
                ("Knows the field", "Has worked near the topic."),
                ("Expert", "Clear evidence of expertise on the topic itself."),
            ),
            lenient=1,
            strict=2,
            measures=("AP", "RR", "P@5"),
        ),
        Preset(
            "question-answering",
            "Question answering",
            "Passages that answer a question.",
            _scale(
                ("Wrong", "Does not answer the question."),
                ("Inexact", "Holds the answer, with too much or too little around it."),
                ("Right", "Answers the question, supported by the text."),
            ),
            lenient=1,
            strict=2,
            measures=("RR", "Success@1", "Success@5"),
        ),
        Preset(
            "microblog",
            "Microblog search",
            "Short posts up to a moment in time.",
            _scale(
                ("Not relevant", "Nothing on the topic, or not readable."),
                ("Relevant", "Says something on the topic."),
                ("Highly relevant", "Informative on the topic by itself."),
            ),
            lenient=1,
            strict=2,
            measures=("P@30", "AP"),
        ),
    )
}
