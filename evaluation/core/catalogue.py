"""The measures: one entry each, family by family. docs/measures.md is made from these."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from evaluation.core.definitions import CutoffKind, CutoffUse, Definition, Needs, Parameter
from evaluation.core.measures import graded, incomplete, parts, ranked, readers, sampled, sets, users
from evaluation.core.references import (
    ASLAM_2007,
    AZZOPARDI,
    BUCKLEY_2000,
    BUCKLEY_2004,
    BUCKLEY_2005,
    CLARKE,
    CLEVERDON,
    KEKALAINEN_2000,
    KEKALAINEN_2002,
    KORFHAGE,
    MANNING,
    MOFFAT,
    MOFFAT_2012,
    MOFFAT_2015,
    RIJSBERGEN,
    TREC_EVAL,
    YILMAZ_2008,
    ZHANG,
)

INFINITE = float("inf")

GAINS = Parameter("gains", "gains", "gains in place of the grades; a grade not named keeps its own")
FORM = (
    Parameter("dcg", "choice", "as ir_measures calls the form", "log2", choices=("log2", "exp-log2")),
    Parameter("form", "choice", "the form of discount and gain", "log2p1", choices=("log2p1", "jk", "exp")),
    Parameter("b", "number", "the base of the form 'jk'", 2.0, 1.01, 1000),
    GAINS,
)
IDEAL = Parameter(
    "ideal", "choice", "of all judged documents, or of the retrieved ones alone", "judged", choices=("judged", "retrieved")
)
BETA = Parameter("beta", "number", "the weight of recall against precision", 1.0, 0, 1000)
RULE = Parameter("rule", "choice", "how precision is interpolated", "ceiling", choices=("ceiling", "window", "window-exact"))
DENOMINATOR = Parameter("denominator", "choice", "what is divided by", "trec_eval", choices=("trec_eval", "literal"))
P = Parameter("p", "number", "the probability of reading on", 0.8, 0, 1)
GMAX = Parameter("gmax", "whole", "the highest grade of the scale; the highest of the qrels unless given", None, 1, 127)
SCALE = (
    Parameter("min_rel", "whole", "the highest grade without a gain", 0, 0, 126),
    Parameter("max_rel", "whole", "the highest grade of the scale; the highest of the qrels unless given", None, 1, 127),
)
WANTED = Parameter("T", "number", "the gain that the reader wants", 1.0, 0.1, 1000)


def _count(
    name: str, function: Callable[..., NDArray[np.float64]], meaning: str, trec_eval: str, takes_rel: bool = True
) -> Definition:
    return Definition(
        name,
        function,
        "Counts",
        meaning,
        "",
        takes_rel=takes_rel,
        high=INFINITE,
        better="neither",
        summary="sum",
        trec_eval=trec_eval,
    )


def _counts() -> Iterable[Definition]:
    yield _count("NumQ", sets.num_q, "Topics.", "num_q", takes_rel=False)
    yield _count("NumRet", sets.num_ret, "Documents retrieved.", "num_ret", takes_rel=False)
    yield _count("NumRel", sets.num_rel, "Documents judged relevant.", "num_rel")
    yield _count("NumRelRet", sets.num_rel_ret, "Relevant documents retrieved.", "num_rel_ret")
    told = "Documents retrieved that are judged and not relevant."
    yield _count("NumNonrelJudgedRet", sets.num_nonrel_judged_ret, told, "num_nonrel_judged_ret")


def _sets() -> Iterable[Definition]:
    family = "Sets"
    relative = Parameter("relative", "yes or no", "divide by min(retrieved, R)", False)
    yield Definition(
        "SetP",
        sets.set_precision,
        family,
        "Share of relevant documents among those retrieved.",
        CLEVERDON,
        parameters=(relative,),
        trec_eval="set_P",
        trec_eval_as=(("SetP(relative=True)", "set_relative_P"),),
    )
    told = "Share of all relevant documents that were retrieved."
    yield Definition("SetR", sets.set_recall, family, told, CLEVERDON, trec_eval="set_recall")
    told = "Harmonic mean of set precision and recall, recall weighted by β²; trec_eval's parameter is β²."
    yield Definition("SetF", sets.set_f, family, told, RIJSBERGEN, parameters=(BETA,), trec_eval="set_F")
    told = "1 - SetF: low is good."
    yield Definition("E", sets.set_e, family, told, RIJSBERGEN, parameters=(BETA,), better="lower")
    told = "Set precision times set recall."
    yield Definition("SetAP", sets.set_ap, family, told, TREC_EVAL, trec_eval="set_map")
    weights = tuple(
        Parameter(name, "number", f"the worth of {about}", default, -1e9, 1e9)
        for name, about, default in (
            ("a", "a relevant document retrieved", 1.0),
            ("b", "another document retrieved", -1.0),
            ("c", "a relevant document missed", 0.0),
            ("d", "another document left out", 0.0),
        )
    )
    told = "Weighted sum of the four cells of the contingency table."
    yield Definition(
        "Utility",
        sets.utility,
        family,
        told,
        TREC_EVAL,
        parameters=weights,
        low=-INFINITE,
        high=INFINITE,
        trec_eval="utility",
    )
    told = "Share of the collection's non-relevant documents that were retrieved."
    yield Definition("Fallout", sets.fallout, family, told, RIJSBERGEN, better="lower", needs="documents")
    told = "1 - Fallout."
    yield Definition("Specificity", sets.specificity, family, told, MANNING, needs="documents")
    told = "Share of relevant documents in the collection: a property of the topic."
    yield Definition("Generality", sets.generality, family, told, RIJSBERGEN, better="neither", needs="documents")
    told = "Share of the collection's documents rightly retrieved or left out; near 1 for a system that retrieves nothing. Not the Accuracy of ir_measures."
    yield Definition("Accuracy", sets.accuracy, family, told, MANNING, needs="documents")


def _ranked() -> Iterable[Definition]:
    family = "Rankings"
    told = "Mean of the precision at each relevant document; those not retrieved add 0."
    yield Definition(
        "AP",
        ranked.average_precision,
        family,
        told,
        BUCKLEY_2000,
        cutoff="optional",
        trec_eval="map",
        trec_eval_cut="map_cut",
    )
    yield Definition(
        "GMAP",
        ranked.average_precision,
        family,
        "Geometric mean of AP, no topic below 0.00001: the hard topics weigh most.",
        "Robertson 2006",
        summary="geometric mean",
        trec_eval="gm_map",
    )
    told = "AP divided by the relevant documents retrieved instead of R: it favours short answers."
    yield Definition("SAP", ranked.simplified_ap, family, told, MANNING, cutoff="optional")
    told = "Share of relevant documents among the first k."
    yield Definition("P", ranked.precision_at, family, told, CLEVERDON, cutoff="always", trec_eval_cut="P")
    told = "Share of all relevant documents that are among the first k."
    yield Definition("R", ranked.recall_at, family, told, CLEVERDON, cutoff="always", trec_eval_cut="recall")
    told = "Relevant documents among the first k, as a share of min(k, R)."
    yield Definition("RelP", ranked.relative_precision_at, family, told, TREC_EVAL, cutoff="always", trec_eval_cut="relative_P")
    told = "Precision after R documents, R the number of relevant ones."
    yield Definition("Rprec", ranked.r_precision, family, told, BUCKLEY_2005, trec_eval="Rprec")
    yield Definition(
        "RprecMult",
        ranked.r_precision_multiple,
        family,
        "Precision after a multiple of R documents.",
        TREC_EVAL,
        cutoff="always",
        cutoff_kind="multiple",
        trec_eval_cut="Rprec_mult",
    )
    method = Parameter(
        "method",
        "choice",
        "R-precision, or where the eleven-point curve crosses the diagonal",
        "rprec",
        choices=("rprec", "curve"),
    )
    told = "Where precision equals recall."
    yield Definition("BEP", ranked.break_even, family, told, MANNING, parameters=(method,))
    told = "1 / rank of the first relevant document; its mean is MRR."
    yield Definition(
        "RR",
        ranked.reciprocal_rank,
        family,
        told,
        "Kantor and Voorhees 2000",
        cutoff="optional",
        trec_eval="recip_rank",
    )
    told = "Rank of the first relevant document."
    yield Definition(
        "SL",
        ranked.search_length,
        family,
        told,
        "Cooper 1968",
        low=1,
        high=INFINITE,
        better="lower",
        summary="mean of the defined",
    )
    told = "Of the pairs of a relevant and another retrieved document, the share with the relevant one first; ir_measures' Accuracy."
    yield Definition(
        "PairAccuracy",
        ranked.pair_accuracy,
        family,
        told,
        "MacAvaney et al. 2022",
        cutoff="optional",
        summary="mean of the defined",
    )
    told = "1 if a relevant document is among the first k."
    yield Definition("Success", ranked.success_at, family, told, TREC_EVAL, cutoff="always", trec_eval_cut="success")
    yield Definition(
        "IPrec",
        ranked.interpolated_precision,
        family,
        "Highest precision at this recall or beyond.",
        MANNING,
        cutoff="always",
        cutoff_kind="recall",
        parameters=(RULE,),
        trec_eval_cut="iprec_at_recall",
    )
    told = "Mean of the interpolated precision at recall 0, 0.1, … 1, or at other points."
    points = Parameter("points", "points", "the recall levels; trec_eval's are told as 11pt_avg.0.2,0.5,0.8")
    yield Definition(
        "Avg11pt", ranked.eleven_point_average, family, told, MANNING, parameters=(RULE, points), trec_eval="11pt_avg"
    )
    told = "Mean of the interpolated precision at recall 0.2, 0.5 and 0.8."
    yield Definition("Avg3pt", ranked.three_point_average, family, told, MANNING)
    told = "Area under the eleven-point recall-precision curve."
    yield Definition("AUC", ranked.area, family, told, MANNING)
    told = "Mean over the relevant documents of 1 / log2(2 + non-relevant ones above)."
    yield Definition("BinG", ranked.binary_g, family, told, TREC_EVAL, trec_eval="binG")
    told = "log((1 + S) / (1 + R - S)), S the sum of precisions that AP divides by R."
    yield Definition("Yaap", ranked.yaap, family, told, TREC_EVAL, low=-INFINITE, high=INFINITE, trec_eval="yaap")


def _graded() -> Iterable[Definition]:
    family = "Graded relevance"
    told = "Gain of the grades, discounted by the log of the rank, as a share of the best possible."
    yield Definition(
        "nDCG",
        graded.ndcg,
        family,
        told,
        KEKALAINEN_2002,
        cutoff="optional",
        parameters=(*FORM, IDEAL),
        takes_rel=False,
        trec_eval="ndcg",
        trec_eval_cut="ndcg_cut",
    )
    for name, function, told, parameters, trec_eval in (
        ("DCG", graded.dcg, "Gain of the grades, discounted by the log of the rank.", FORM, "dcg"),
        ("IDCG", graded.ideal_dcg, "The highest DCG possible.", (*FORM, IDEAL), "ideal_dcg"),
        ("CG", graded.cumulated_gain, "Gain of the grades, order apart.", (GAINS,), ""),
    ):
        yield Definition(
            name,
            function,
            family,
            told,
            KEKALAINEN_2002 if trec_eval else KEKALAINEN_2000,
            cutoff="optional",
            parameters=parameters,
            takes_rel=False,
            high=INFINITE,
            better="neither" if name == "IDCG" else "higher",
            trec_eval=trec_eval,
        )
    told = "CG as a share of the best possible."
    yield Definition(
        "NCG",
        graded.normalized_cumulated_gain,
        family,
        told,
        KEKALAINEN_2002,
        cutoff="optional",
        parameters=(GAINS, IDEAL),
        takes_rel=False,
    )
    told = "Mean of nDCG at the rank of each document with a gain."
    yield Definition(
        "nDCGRel",
        graded.ndcg_at_relevant,
        family,
        told,
        TREC_EVAL,
        parameters=(GAINS,),
        takes_rel=False,
        trec_eval="ndcg_rel",
    )
    told = "Mean of nDCG at the ranks where the ideal gain changes."
    yield Definition("RnDCG", graded.ndcg_at_levels, family, told, TREC_EVAL, parameters=(GAINS,), trec_eval="Rndcg")
    told = "Gain of the grades, discounted by how far the ranking lies behind the ideal one."
    yield Definition("G", graded.normalized_gain, family, told, TREC_EVAL, parameters=(GAINS,), takes_rel=False, trec_eval="G")
    told = "Expected reciprocal rank where a reader stops, satisfied with the probability the grade gives."
    yield Definition(
        "ERR",
        graded.expected_reciprocal_rank,
        family,
        told,
        "Chapelle et al. 2009",
        cutoff="optional",
        parameters=(GMAX,),
        takes_rel=False,
    )
    blend = Parameter("beta", "number", "the weight of the gains; 0 is AP", 1.0, 0, 1000)
    told = "AP with precision blended with the gain as a share of the ideal."
    yield Definition("Q", graded.q_measure, family, told, "Sakai 2004", parameters=(blend,))
    told = "Rank-biased overlap with the ideal ranking."
    overlap = (
        Parameter("p", "number", "the probability of reading on", 0.95, 0, 1),
        Parameter("normalize", "yes or no", "as a share of what the ideal ranking has", True),
    )
    yield Definition("Compat", graded.compatibility, family, told, CLARKE, parameters=overlap, takes_rel=False)


def _readers() -> Iterable[Definition]:
    """C/W/L: the expected gain of a document that is read."""
    patient = Parameter("p", "number", "the probability of reading on", 0.9, 0, 1)
    cutoff: CutoffUse
    for name, function, told, reference, parameters, cutoff in (
        ("SDCG", readers.sdcg, "DCG as a share of that of k documents of the highest grade.", MOFFAT_2015, (), "always"),
        ("BPM", readers.bpm, "Mean gain until the reader has gained T, or read k.", ZHANG, (WANTED,), "always"),
        ("INSQ", readers.insq, "Expected gain; who wants more reads on longer.", MOFFAT_2012, (WANTED,), "never"),
        ("INST", readers.inst, "As INSQ; what is found ends reading earlier.", MOFFAT_2015, (WANTED,), "never"),
        ("NERR8", readers.nerr8, "Expected gain down to k; a gain stops reading.", AZZOPARDI, (), "always"),
        ("NERR9", readers.nerr9, "As NERR8, and rank i is read in proportion to 1/i.", AZZOPARDI, (), "always"),
        ("NERR10", readers.nerr10, "As NERR8, with the patience of RBP, to the end.", AZZOPARDI, (patient,), "never"),
        ("NERR11", readers.nerr11, "As NERR8, with the patience of INSQ, to the end.", AZZOPARDI, (WANTED,), "never"),
    ):
        yield Definition(
            name,
            function,
            "Models of readers",
            told,
            reference,
            cutoff=cutoff,
            parameters=(*parameters, *SCALE),
            takes_rel=False,
        )


def _incomplete() -> Iterable[Definition]:
    family = "Incomplete judgments"
    told = "How seldom judged non-relevant documents come before relevant ones; unjudged ones are skipped."
    yield Definition("Bpref", incomplete.bpref, family, told, BUCKLEY_2004, parameters=(DENOMINATOR,), trec_eval="bpref")
    yield Definition(
        "GMBpref",
        incomplete.bpref,
        family,
        "Geometric mean of Bpref, no topic below 0.00001.",
        TREC_EVAL,
        summary="geometric mean",
        trec_eval="gm_bpref",
    )
    first = Parameter("first", "choice", "how many judged non-relevant documents count", "R+10", choices=("R+10", "R"))
    told = "Bpref with R + 10 in place of R."
    yield Definition("Bpref10", incomplete.bpref_10, family, told, BUCKLEY_2004, parameters=(DENOMINATOR, first))
    told = "AP estimated from a random sample of the pool; negative grades are pooled and not sampled."
    yield Definition("infAP", incomplete.inferred_ap, family, told, "Yilmaz and Aslam 2006", trec_eval="infAP")
    sampled_by: Needs
    for name, function, told, reference, sampled_by, high in (
        ("xinfAP", sampled.xinf_ap, "AP estimated from a sample by strata.", YILMAZ_2008, "strata", 1.0),
        ("infNDCG", sampled.inf_ndcg, "nDCG estimated from a sample by strata.", YILMAZ_2008, "strata", INFINITE),
        ("statAP", sampled.stat_ap, "AP estimated from a sample by probabilities.", ASLAM_2007, "inclusion", INFINITE),
        ("statP", sampled.stat_precision, "P@k estimated from a sample by probabilities.", ASLAM_2007, "inclusion", INFINITE),
    ):
        yield Definition(
            name,
            function,
            family,
            told,
            reference,
            cutoff="always" if name == "statP" else "never",
            takes_rel=name != "infNDCG",
            takes_judged_only=False,
            high=high,
            needs=sampled_by,
        )
    below = Parameter("denominator", "choice", "min(k, retrieved), or k", "retrieved", choices=("retrieved", "k"))
    yield Definition(
        "Judged",
        incomplete.judged_at,
        family,
        "Share of judged documents among the first k, or all retrieved if fewer.",
        "Sakai 2007",
        cutoff="always",
        parameters=(below,),
        takes_rel=False,
        takes_judged_only=False,
        better="neither",
        summary="mean of the defined",
    )
    yield Definition(
        "Unjudged",
        incomplete.unjudged_at,
        family,
        "Unjudged documents among the first k, divided by k.",
        TREC_EVAL,
        cutoff="always",
        takes_rel=False,
        takes_judged_only=False,
        better="neither",
        trec_eval_cut="unj",
    )
    gain = Parameter(
        "gain",
        "choice",
        "1 if relevant, or grade / highest of the scale, or of the topic",
        "binary",
        choices=("binary", "scale", "topic"),
    )
    told = "What a reader gains who goes on with probability p; the least the unjudged documents allow."
    yield Definition(
        "RBP",
        incomplete.rbp,
        family,
        told,
        MOFFAT,
        cutoff="optional",
        parameters=(P, gain, GMAX),
        trec_eval_as=(("RBP(p=0.9,gain='topic')", "rbp"),),
    )
    tail = Parameter("tail", "choice", "when what lies beyond the ranking counts", "always", choices=("always", "unjudged"))
    told = "What RBP could still gain by unjudged documents and those beyond the ranking."
    yield Definition(
        "RBPResidual",
        incomplete.rbp_residual,
        family,
        told,
        MOFFAT,
        parameters=(P, tail),
        takes_rel=False,
        takes_judged_only=False,
        better="neither",
        trec_eval_as=(("RBPResidual(p=0.9,tail='unjudged')", "rbp_resid"),),
    )


def _users() -> Iterable[Definition]:
    needs: Needs
    for name, function, told, high, needs in (
        ("Coverage", users.coverage, "Of the relevant documents the user knew, the share retrieved.", 1.0, "known"),
        ("Novelty", users.novelty, "Of the relevant documents retrieved, the share the user did not know.", 1.0, "known"),
        ("RelRecall", users.relative_recall, "Relevant documents retrieved / the number expected.", INFINITE, "expected"),
        ("RecallEffort", users.recall_effort, "The number expected / documents read to find it.", INFINITE, "expected"),
    ):
        yield Definition(name, function, "Users", told, KORFHAGE, high=high, summary="mean of the defined", needs=needs)


def _parts() -> Iterable[Definition]:
    kind: CutoffKind
    for name, function, told, kind, parameters in (
        ("PartP", parts.precision_after, "Share of relevant characters in the first k parts.", "rank", ()),
        ("PartR", parts.recall_after, "Share of all relevant characters that are in the first k parts.", "rank", ()),
        ("PartF", parts.f_after, "Harmonic mean of PartP and PartR.", "rank", (BETA,)),
        ("iP", parts.interpolated, "Highest precision, by characters, at this recall or beyond.", "recall", ()),
        ("AiP", parts.average_interpolated, "Mean of iP at recall 0.00, 0.01, … 1.00; its mean is MAiP.", "rank", ()),
    ):
        yield Definition(
            name,
            function,
            "Parts of documents",
            told,
            "Kamps et al. 2007",
            cutoff="never" if name == "AiP" else "always",
            cutoff_kind=kind,
            parameters=parameters,
            takes_rel=False,
            takes_judged_only=False,
            needs="evidence",
        )


def _entries() -> Iterable[Definition]:
    for family in (_counts, _sets, _ranked, _graded, _readers, _incomplete, _users, _parts):
        yield from family()


DEFINITIONS: dict[str, Definition] = {entry.name: entry for entry in _entries()}
