"""Words for LaTeX."""

_SIGNS = str.maketrans(
    {letter: f"\\{letter}" for letter in "_&%$#{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def escaped(value: str) -> str:
    return value.translate(_SIGNS)
