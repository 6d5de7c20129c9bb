"""The order in which people read a list of names."""


def natural(name: str) -> tuple[str, int, str]:
    """A2 before A10."""
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    return letters, int(digits[:9] or 0), name
