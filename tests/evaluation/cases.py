"""Random qrels and runs with all that makes evaluation hard: ties, unjudged documents, negative grades, missing topics."""

from hypothesis import strategies as st

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

TOPICS = st.sampled_from(["1", "10", "9", "Ä1", "q-2"])
DOCNOS = st.sampled_from([f"d{n}" for n in range(14)] + ["D1", "é", "d1x"])
GRADES = st.integers(-1, 3)
# 16777217 and 16777216 are one number in 24 bits, so are 1 and 1 + 2⁻³⁰
SCORES = st.sampled_from([0.0, 1.0, 1.0 + 2**-30, 1.5, 2.0, 16777216.0, 16777217.0, -3.25, 1e39, 2e39])

qrels = st.dictionaries(TOPICS, st.dictionaries(DOCNOS, GRADES, min_size=1), min_size=1)
runs = st.dictionaries(TOPICS, st.dictionaries(DOCNOS, SCORES, min_size=1))
