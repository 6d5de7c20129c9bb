"""assize release, score, score-run, leaderboard, qrels."""

from pathlib import Path

from config.models import Job, User
from evaluation.models import PrivateScore, Release, Score
from pooling.models import Run
from tests.commands.conftest import Assize
from tests.conftest import Cast
from tests.evaluation import factories
from tests.evaluation.conftest import judged, release, second

__all__ = ["judged", "release", "second"]
HERE = "harbour-trials"


def test_release_freezes_and_scores_at_once(judged: Cast, assize: Assize) -> None:
    done = assize("release", HERE, "--rule", "max", "--note", "Spring", "--by", judged.organizer.username)
    made = Release.objects.get()
    assert (done.status, done.out) == (0, "1\n")
    assert f"Release 1: 6 judged documents, SHA-256 {made.sha256}." in done.err
    assert "Scores of release 1: 2 of 2 2 runs scored" in done.err
    assert (made.rule, made.note, made.frozen_by, Score.objects.count()) == ("max", "Spring", judged.organizer, 40)
    assert not Job.objects.exists()
    assert assize("release", HERE, "--rule", "max").told == (
        1,
        "2 disagreements are open and follow the merge rule, which may leave some without a grade.\n"
        "Release of Harbour trials: Merging the judgments\n"
        "Error: Release 1 has these same qrels and judgments already: nothing has changed since.",
    )


def test_release_is_refused_in_words(cast: Cast, assize: Assize) -> None:
    done = assize("release", HERE)
    assert (done.status, done.err.splitlines()[-1]) == (
        1,
        "Error: Nothing is judged yet: a release needs at least one judgment.",
    )
    assert assize("release", "nowhere").told == (1, "Error: There is no collection “nowhere”.")
    assert assize("release", HERE, "--rule", "lowest").status == 2


def test_score_takes_new_runs(release: Release, assize: Assize) -> None:
    factories.make_run(release.collection, "gamma", factories.BETA, by=User.objects.first() or release.frozen_by)
    assert assize("score", HERE).out == "1\n"
    assert assize("score", HERE, "--release", 1).out == "0\n"
    assert assize("score", HERE, "--release", 2).told == (1, "Error: There is no release “2” in this collection.")


def test_leaderboard_as_table_and_json(release: Release, assize: Assize) -> None:
    ended = assize("leaderboard", HERE)
    lines = ended.out.splitlines()
    assert ended.err.startswith("Release 1. ")
    assert lines[0].split()[:5] == ["RUN", "GROUP", "BEST", "AP", "NDCG"]
    assert [line.split()[0] for line in lines[1:]] == ["alpha", "beta"]
    assert lines[2].split()[:4] == ["beta", "-", "-", "0.5000"]
    found = assize("leaderboard", HERE, "--json", "--sort=-AP").json
    assert ([row["run"] for row in found["runs"]], found["release"], found["topics"]) == (["beta", "alpha"], 1, 2)
    stored = dict(Score.objects.filter(run__tag="alpha").values_list("measure", "mean"))
    assert found["runs"][1]["scores"] == {name: stored[name] for name in found["measures"]}
    assert "AP(rel=2)" in assize("leaderboard", HERE, "--strict", "--json").json["measures"]


def test_leaderboard_live_filtered_and_as_files(release: Release, assize: Assize) -> None:
    live = assize("leaderboard", HERE, "--release", "live", "--group", "Kelp", "--json").json
    assert (live["release"], [row["run"] for row in live["runs"]]) == (None, ["alpha"])
    assert assize("leaderboard", HERE, "--form", "csv", "--measures", "P@10").out.startswith("run,group,kind,P@10,Judged@10")
    assert assize("leaderboard", HERE, "--form", "tex").out.startswith("% Harbour trials, release 1: 2 topics")
    assert assize("leaderboard", HERE, "--form", "txt").out.startswith("runid                 \tall\talpha\n")
    assert assize("leaderboard", HERE, "--form", "csv", "--json").told == (1, "Error: Expected --json or --form, found both.")
    assert assize("leaderboard", HERE, "--measures", "ERR@7").err.startswith("Error: There are no scores by ERR@7 here")


def test_no_release_yet_is_told(judged: Cast, assize: Assize) -> None:
    for command in ("leaderboard", "qrels", "score"):
        assert assize(command, HERE).told == (1, "Error: There is no release yet.")


def test_qrels_are_printed_or_written(release: Release, assize: Assize, tmp_path: Path) -> None:
    whole = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 d 3\n2 0 e 0\n2 0 f 1\n"
    assert assize("qrels", HERE).out == whole
    target = tmp_path / "here.qrels"
    assert assize("qrels", HERE, "--release", 1, "-o", target).out == f"{target}\n"
    assert (target.read_text(), list(tmp_path.iterdir())) == (whole, [target])
    assert assize("qrels", HERE, "--view", "strict").out.startswith("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    missing = tmp_path / "no" / "where"
    assert assize("qrels", HERE, "-o", missing).told == (1, f"Error: {missing}: No such file or directory.")


def test_a_run_is_scored_and_thrown_away(release: Release, judged: Cast, assize: Assize, tmp_path: Path) -> None:
    file, mine = tmp_path / "mine.run", ("score-run", HERE, "--by", judged.researcher.username)
    file.write_bytes(b"1 Q0 c 1 0.9 mine\n1 Q0 a 2 0.5 mine\n1 Q0 unseen 3 0.1 mine\n")
    report = assize(*mine, file, "--json").json
    assert (report["run"], report["release"], report["missing_topics"]) == ("mine", 1, 1)
    told = assize(*mine, file, "--release", 1)
    assert told.out.splitlines()[1].split()[:2] == ["AP", "0.5000"] and "This run was not pooled" in told.err
    assert assize(*mine, file, "--form", "csv").out.startswith("measure,score,")
    assert (PrivateScore.objects.count(), Run.objects.filter(tag="mine").count()) == (0, 0)
    assert assize(*mine, file, "--keep").status == 0
    own = ("own-scores", *mine[1:])
    (kept,) = assize(*own, "--json").json
    assert (kept["run"], kept["report"]["means"]) == ("mine", report["means"])
    assert assize("own-scores", HERE, "--drop", kept["id"]).told == (1, f"Error: ada-admin keeps no report {kept['id']}.")
    assert assize(*own, "--drop", kept["id"], "--json").json == []
    file.write_bytes(b"1 Q0 c 1\n")
    bad = assize(*mine, file)
    assert (bad.status, bad.err.splitlines()[-1]) == (1, f"Error: Refused: {file}. Nothing of it was stored.")
    assert f"{file}:1: error: Line 1 has 4 columns" in bad.err
    assert "Scores tell which runs found what" in assize("score-run", HERE, file, "--by", judged.assessor.username).told[1]
