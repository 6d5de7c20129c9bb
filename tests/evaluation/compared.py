"""What measures are compared with: trec_eval by way of pytrec_eval, or values worked out by hand."""

from math import log, log2

MEASURES = ["map", "bpref", "ndcg", "ndcg_cut_10", "ndcg_cut_3", "P_10", "P_3", "recip_rank", "Rprec", "recall_5", "map_cut_3"]
MEASURES += [f"iprec_at_recall_{point / 10:.2f}" for point in range(11)]
MEASURES += [f"Rprec_mult_{step / 5:.2f}" for step in range(1, 11)]
MEASURES += ["infAP", "11pt_avg", "binG", "G", "ndcg_rel", "Rndcg", "relative_P_3", "relative_P_10", "utility"]
MEASURES += ["set_P", "set_relative_P", "set_recall", "set_map", "set_F"]
COUNTS = ["num_q", "success_5", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"]
GEOMETRIC = ["gm_map", "gm_bpref"]

# On the example of the page of measures (evaluation.core.formulas): eight documents with the grades – 2 0 – 1 -1 0 3, and
# unretrieved ones of 1, 2 and 0. So R = 5, found at ranks 2, 5 and 8; 1,000 documents in all. The user knows the first
# that is found and one that is not, and expects four. Each document was drawn with 8/9.
_W = 9 / 8
_B = [sum(0.95 ** (d - 1) / d for d in range(first, 9)) for first in range(1, 9)]  # of overlap from depth 1, 2, … 8 on
WORKED = {
    "E": 1 - 6 / 13,  # F = 2 · 3 / (8 + 5)
    "Fallout": 5 / 995,
    "Specificity": 990 / 995,
    "Generality": 5 / 1000,
    "Accuracy": (3 + 990) / 1000,
    "BEP": 2 / 5,
    "Avg3pt": (1 / 2 + 3 / 8 + 0) / 3,
    "AUC": (3 * 1 / 2 + 2 * 2 / 5 + 2 * 3 / 8 - (1 / 2) / 2) / 10,
    "Unjudged": 2 / 5,
    "Yaap": log((1 + (1 / 2 + 2 / 5 + 3 / 8)) / (1 + 5 - (1 / 2 + 2 / 5 + 3 / 8))),
    "Coverage": 1 / 2,
    "Novelty": 2 / 3,
    "RelRecall": 3 / 4,
    "RecallEffort": 4 / 8,
    # The grades go to 3: gains of 2/3, 1/3 and 1 at ranks 2, 5 and 8.
    "SDCG": (2 / 3 / log2(3) + 1 / 3 / log2(6)) / sum(1 / log2(i + 1) for i in range(1, 6)),
    "BPM": (2 / 3 + 1 / 3) / 5,
    "NERR8": (2 / 3 + 1 / 3 * 1 / 3) / (1 + 1 + 3 * 1 / 3),
    "NERR9": (1 / 2 * 2 / 3 + 1 / 15 * 1 / 3) / (1 + 1 / 2 + 1 / 9 + 1 / 12 + 1 / 15),
    "PairAccuracy": (4 + 2 + 0) / 15,
    "Compat": (_B[1] + _B[4] + _B[7]) / sum(_B[:5]),  # second, fourth and first of the ideal ranking
    # Four parts of 400, 300, 500 and 800 characters, of which 200, 0, 500 and 100 are relevant, of 1,000.
    "PartP": 800 / 2000,
    "PartR": 800 / 1000,
    "PartF": 2 * 800 / (2000 + 1000),
    "iP": 700 / 1200,
    "AiP": (71 * 700 / 1200 + 10 * 800 / 2000) / 101,
    "statP": 2 * _W / 5,
    "statAP": (_W / 2 + _W / 5 * (1 + _W) + _W / 8 * (1 + 2 * _W)) / (5 * _W),
    "xinfAP": (1 / 2 + (1 / 5 + 4 / 5 * 2 / 4 * 1 / 2) + (1 / 8 + 7 / 8 * 5 / 7 * 2 / 4)) / 5,  # one stratum: as infAP
}
