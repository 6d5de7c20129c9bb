"""Each measure's formula in one line, and one small ranking on which every measure is worked out.

rᵢ: rank of the i-th relevant document retrieved; R: relevant documents; N: judged non-relevant ones; n: retrieved;
g: grade; G: gain; A: what was retrieved.
"""

from typing import Any

import numpy as np

from evaluation.core.catalogue import DEFINITIONS
from evaluation.core.definitions import Definition
from evaluation.core.evaluate import evaluate_judged
from evaluation.core.judged import Given, join
from evaluation.core.measures.parts import score_sizes
from evaluation.core.qrels import Qrels
from evaluation.core.references import REFERENCES
from evaluation.core.registry import parse_measure
from pooling.core.rankings import Rankings

FORMULAS = {
    "NumQ": "number of topics",
    "NumRet": "n",
    "NumRel": "R",
    "NumRelRet": "|relevant ∩ A|",
    "NumNonrelJudgedRet": "|judged non-relevant ∩ A|",
    "SetP": "|relevant ∩ A| / n",
    "SetR": "|relevant ∩ A| / R",
    "SetF": "(1 + β²) P R / (β² P + R)",
    "E": "1 − (1 + β²) P R / (β² P + R)",
    "SetAP": "SetP · SetR",
    "Utility": "a · tp + b · fp + c · fn + d · tn",
    "Fallout": "fp / (fp + tn)",
    "Specificity": "tn / (fp + tn)",
    "Generality": "R / documents",
    "Accuracy": "(tp + tn) / documents",
    "AP": "1/R · Σᵢ i / rᵢ",
    "GMAP": "exp( mean of ln max(AP, 0.00001) )",
    "SAP": "1/|relevant ∩ A| · Σᵢ i / rᵢ",
    "P": "|relevant in the first k| / k",
    "R": "|relevant in the first k| / R",
    "RelP": "|relevant in the first k| / min(k, R)",
    "Rprec": "|relevant in the first R| / R",
    "RprecMult": "precision after x · R documents",
    "BEP": "precision = recall; at rank R",
    "RR": "1 / r₁",
    "SL": "r₁",
    "PairAccuracy": "|pairs with the relevant document first| / |pairs of a relevant and another document of A|",
    "Success": "1 if r₁ ≤ k, else 0",
    "IPrec": "max { P(r) : recall(r) ≥ x }",
    "Avg11pt": "1/11 · Σ IPrec@x, x = 0, 0.1, … 1",
    "Avg3pt": "1/3 · (IPrec@0.2 + IPrec@0.5 + IPrec@0.8)",
    "AUC": "trapezium rule over IPrec@0, 0.1, … 1",
    "BinG": "1/R · Σᵢ 1 / log₂(2 + non-relevant above rᵢ)",
    "Yaap": "ln( (1 + S) / (1 + R − S) ), S = Σᵢ i / rᵢ",
    "nDCG": "DCG / DCG of the ideal ranking",
    "DCG": "Σᵢ Gᵢ / log₂(i + 1)",
    "IDCG": "DCG of the judged documents by falling grade",
    "CG": "G₁ + … + G_k",
    "NCG": "CG / CG of the ideal ranking",
    "nDCGRel": "mean of nDCG@r over the ranks r with a gain",
    "RnDCG": "mean of nDCG@r over the ranks r where the ideal gain changes",
    "G": "Σᵢ Gᵢ / log₂(2 + Cᵢ − Sᵢ) / Σ ideal gains; Sᵢ: gain so far, Cᵢ: that of the ideal",
    "ERR": "Σᵢ 1/i · sᵢ Π_{j<i} (1 − s_j), s = (2^g − 1) / 2^gmax",
    "Q": "1/R · Σ over relevant i of (C(i) + β cg(i)) / (i + β icg(i))",
    "Compat": "Σ_d p^{d−1} · overlap of the first d / d, as a share of that of the ideal ranking",
    "SDCG": "Σ_{i≤k} uᵢ / log₂(i + 1) / Σ_{i≤k} 1 / log₂(i + 1), u = g / gmax",
    "BPM": "1/s · Σ_{i≤s} uᵢ, s: where Σ u reaches T, or k",
    "INSQ": "Σ Vᵢ uᵢ / Σ Vᵢ, Vᵢ = Π_{j<i} Cⱼ, Cⱼ = ((j + 2T − 1) / (j + 2T))²",
    "INST": "Σ Vᵢ uᵢ / Σ Vᵢ, Cⱼ = ((j + T + Tⱼ − 1) / (j + T + Tⱼ))², Tⱼ = T − Σ_{l≤j} u_l",
    "NERR8": "Σ Vᵢ uᵢ / Σ Vᵢ, Cⱼ = 1 − uⱼ, down to k",
    "NERR9": "Σ Vᵢ uᵢ / Σ Vᵢ, Cⱼ = (1 − uⱼ) j / (j + 1), down to k",
    "NERR10": "Σ Vᵢ uᵢ / Σ Vᵢ, Cⱼ = p (1 − uⱼ)",
    "NERR11": "Σ Vᵢ uᵢ / Σ Vᵢ, Cⱼ = (1 − uⱼ) ((j + 2T − 1) / (j + 2T))²",
    "Bpref": "1/R · Σ_r 1 − min(n_r, R) / min(R, N), n_r: judged non-relevant above r",
    "GMBpref": "exp( mean of ln max(Bpref, 0.00001) )",
    "Bpref10": "1/R · Σ_r 1 − min(n_r, R + 10) / min(R + 10, N)",
    "infAP": "1/R · Σ_k 1/k + (k−1)/k · pooled/(k−1) · (rel + ε) / (rel + nonrel + 2ε)",
    "xinfAP": "1/R̂ · Σ over sampled relevant k of 1/k + (k−1)/k · E[precision above k], stratum by stratum",
    "infNDCG": "DCG / ideal DCG, both estimated stratum by stratum",
    "statAP": "1/R̂ · Σ over sampled relevant at rank k of 1/π · (1 + Σ over sampled relevant above of 1/π) / k",
    "statP": "1/k · Σ over sampled relevant in the first k of 1/π",
    "Judged": "|judged in the first k| / min(k, n)",
    "Unjudged": "|unjudged in the first k| / k",
    "RBP": "(1 − p) Σ u_i p^{i−1}",
    "RBPResidual": "(1 − p) Σ over unjudged i of p^{i−1} + pⁿ",
    "Coverage": "|K ∩ relevant ∩ A| / |K ∩ relevant|",
    "Novelty": "|(relevant ∩ A) − K| / |relevant ∩ A|",
    "RelRecall": "|relevant ∩ A| / expected",
    "RecallEffort": "expected / documents read to find so many",
    "PartP": "relevant characters / characters, of the first k parts",
    "PartR": "relevant characters of the first k parts / all relevant ones",
    "PartF": "(1 + β²) P R / (β² P + R), by characters",
    "iP": "max { P[r] : R[r] ≥ x }, by characters",
    "AiP": "1/101 · Σ iP[x], x = 0, 0.01, … 1",
}

# Eight documents: unjudged, 2, 0, unjudged, 1, pooled but not judged, 0, 3; and judged but not retrieved 1, 2, 0.
RANKING = ("–", "2", "0", "–", "1", "−1", "0", "3")
_GRADES = {"b": 2, "c": 0, "e": 1, "f": -1, "g": 0, "h": 3, "x": 1, "y": 2, "z": 0}
KNOWN, EXPECTED, DOCUMENTS, SAMPLED = (b"b", b"x"), 4, 1000, 8 / 9


# Four parts of 400, 300, 500 and 800 characters, of which 200, 0, 500 and 100 are relevant; 1000 are in all.
PARTS = ((200, 400), (0, 300), (500, 500), (100, 800))
RELEVANT_TEXT = 1000


def worked(definition: Definition) -> tuple[str, float]:
    """The measure under a name it can be asked for by, and its value on the example."""
    measure = parse_measure(definition.example.replace("@10", "@5"))
    if definition.needs == "evidence":
        relevant, sizes = (np.array(column, np.int64) for column in zip(*PARTS, strict=True))
        parts = score_sizes(np.array([len(PARTS)]), relevant, sizes, np.array([RELEVANT_TEXT]))
        return str(measure), float(measure.values(parts)[0])
    qrels = Qrels.from_dict({"1": _GRADES})
    known = np.isin(qrels.docnos, np.array(KNOWN))
    given = Given(
        documents=DOCUMENTS,
        top=3,
        known=known,
        expected=np.array([EXPECTED]),
        strata=np.zeros(len(qrels), np.int64),
        inclusion=np.full(len(qrels), SAMPLED),
    )
    judged = join(qrels, [Rankings.from_dict("example", {"1": {name: 9.0 - n for n, name in enumerate("abcdefgh")}})], given)
    return str(measure), float(evaluate_judged(judged, ("example",), [measure]).means[0, 0])


def families() -> dict[str, list[dict[str, Any]]]:
    """Name, definition, formula, worked example and reference of each measure, family by family."""
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in DEFINITIONS.values():
        name, value = worked(entry)
        told: dict[str, Any] = {"name": entry.name, "definition": entry.definition, "formula": FORMULAS[entry.name]}
        told |= {"example": name, "value": value, "reference": entry.reference, "better": entry.better}
        told |= {"trec_eval": entry.trec_eval or entry.trec_eval_cut, "summary": entry.summary}
        told["full_reference"] = REFERENCES.get(entry.reference, "")
        found.setdefault(entry.family, []).append(told)
    return found
