"""Tags of languages in the shape of BCP 47, such as en, pt-BR or zh-Hant."""

import re

_TAG = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
LONGEST = 20


def is_tag(text: str) -> bool:
    """Whether it is shaped like a tag; which languages there are is not asked. "en_GB" is taken for "en-GB"."""
    return len(text) <= LONGEST and _TAG.fullmatch(text) is not None


def spelled(text: str) -> str:
    """A list of tags with commas or blanks as it is stored, each once; ValueError names what is none."""
    found = list(dict.fromkeys(text.replace(",", " ").split()))
    for tag in found:
        if not is_tag(tag):
            raise ValueError(f"Expected tags of languages, such as en, hi or pt-BR; found “{tag[:40]}”.")
    return ", ".join(found)
