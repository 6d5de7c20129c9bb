"""Where measures were published: short names, as entries of the catalogue have them, and what they stand for."""

MANNING = "Manning, Raghavan and Schütze 2008, ch. 8"
CLEVERDON = "Cleverdon, Mills and Keen 1966"
RIJSBERGEN = "van Rijsbergen 1979, ch. 7"
BUCKLEY_2000 = "Buckley and Voorhees 2000"
BUCKLEY_2004 = "Buckley and Voorhees 2004"
BUCKLEY_2005 = "Buckley and Voorhees 2005"
KEKALAINEN_2002 = "Järvelin and Kekäläinen 2002"
KEKALAINEN_2000 = "Järvelin and Kekäläinen 2000"
MOFFAT = "Moffat and Zobel 2008"
KORFHAGE = "Korfhage 1997, ch. 8"
TREC_EVAL = "trec_eval, Buckley 2008"
ZHANG = "Zhang et al. 2017"
MOFFAT_2012 = "Moffat et al. 2012"
MOFFAT_2015 = "Moffat et al. 2015"
AZZOPARDI = "Azzopardi et al. 2021"
CLARKE = "Clarke et al. 2021"
YILMAZ_2008 = "Yilmaz, Kanoulas and Aslam 2008"
ASLAM_2007 = "Aslam and Pavlu 2007"

# What the short references of the entries stand for.
REFERENCES = {
    AZZOPARDI: "L. Azzopardi, J. Mackenzie and A. Moffat. ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics. ICTIR 2021, 231–237.",
    CLARKE: "C. L. A. Clarke, A. Vtyurina and M. D. Smucker. Assessing top-k preferences. ACM Transactions on Information Systems 39(3), 2021, article 33.",
    MOFFAT_2012: "A. Moffat, F. Scholer and P. Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012, 47–54.",
    MOFFAT_2015: "A. Moffat, P. Bailey, F. Scholer and P. Thomas. INST: an adaptive metric for information retrieval evaluation. ADCS 2015, article 5.",
    ZHANG: "F. Zhang, Y. Liu, X. Li, M. Zhang, Y. Xu and S. Ma. Evaluating web search with a bejeweled player model. SIGIR 2017, 425–434.",
    ASLAM_2007: "J. A. Aslam and V. Pavlu. A practical sampling strategy for efficient retrieval evaluation. Technical report, Northeastern University 2007.",
    YILMAZ_2008: "E. Yilmaz, E. Kanoulas and J. A. Aslam. A simple and efficient sampling method for estimating AP and NDCG. SIGIR 2008, 603–610.",
    BUCKLEY_2000: "C. Buckley and E. M. Voorhees. Evaluating evaluation measure stability. SIGIR 2000, 33–40.",
    BUCKLEY_2004: "C. Buckley and E. M. Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004, 25–32.",
    BUCKLEY_2005: "C. Buckley and E. M. Voorhees. Retrieval system evaluation. In: TREC: Experiment and Evaluation in Information Retrieval, MIT Press 2005, 53–75.",
    "Chapelle et al. 2009": "O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan. Expected reciprocal rank for graded relevance. CIKM 2009, 621–630.",
    CLEVERDON: "C. W. Cleverdon, J. Mills and M. Keen. Factors Determining the Performance of Indexing Systems. Cranfield 1966.",
    "Cooper 1968": "W. S. Cooper. Expected search length: a single measure of retrieval effectiveness based on the weak ordering action of retrieval systems. American Documentation 19(1), 1968, 30–41.",
    KEKALAINEN_2000: "K. Järvelin and J. Kekäläinen. IR evaluation methods for retrieving highly relevant documents. SIGIR 2000, 41–48.",
    KEKALAINEN_2002: "K. Järvelin and J. Kekäläinen. Cumulated gain-based evaluation of IR techniques. ACM Transactions on Information Systems 20(4), 2002, 422–446. The default discount, log2(rank + 1), and the exponential gain are those of C. Burges et al., Learning to rank using gradient descent, ICML 2005, 89–96.",
    "Kamps et al. 2007": "J. Kamps, J. Pehcevski, G. Kazai, M. Lalmas and S. Robertson. INEX 2007 evaluation measures. INEX 2007, LNCS 4862, 24–33.",
    "Kantor and Voorhees 2000": "P. B. Kantor and E. M. Voorhees. The TREC-5 confusion track. Information Retrieval 2, 2000, 165–176.",
    KORFHAGE: "R. R. Korfhage. Information Storage and Retrieval. Wiley 1997.",
    "MacAvaney et al. 2022": "S. MacAvaney, C. Macdonald and I. Ounis. Streamlining evaluation with ir-measures. ECIR 2022, LNCS 13186, 305–310.",
    MANNING: "C. D. Manning, P. Raghavan and H. Schütze. Introduction to Information Retrieval. Cambridge University Press 2008.",
    MOFFAT: "A. Moffat and J. Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM Transactions on Information Systems 27(1), 2008, article 2.",
    "Robertson 2006": "S. Robertson. On GMAP: and other transformations. CIKM 2006, 78–83.",
    "Sakai 2004": "T. Sakai. New performance metrics based on multigrade relevance: their application to question answering. NTCIR-4, 2004.",
    "Sakai 2007": "T. Sakai. Alternatives to bpref. SIGIR 2007, 71–78. (Condensed lists: judged_only=True.)",
    TREC_EVAL: "The measure is defined by trec_eval's own source; it has no other publication.",
    RIJSBERGEN: "C. J. van Rijsbergen. Information Retrieval. 2nd edition, Butterworths 1979.",
    "Yilmaz and Aslam 2006": "E. Yilmaz and J. A. Aslam. Estimating average precision with incomplete and imperfect judgments. CIKM 2006, 102–111.",
}
