"""A well-filled site for the pages to be looked at: long names, other scripts, many members, invitations and jobs."""

import uuid
from datetime import timedelta

import numpy as np
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.signing import Signer
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from assess import adjudication, blind
from assess.models import Judgment
from assess.services import adjudicating, assigning, checking, drafting, judging, merging, practice, questions
from assess.services.practice import Example
from config import accounts
from config.models import ApiToken, Job, User
from evaluation.models import PrivateScore
from evaluation.services import releases, strategies, trying
from pooling.core.html_text import html_text
from pooling.models import Document, Invitation, Membership, PoolItem, Role, Topic, Upload, Visibility
from pooling.services import collections, indexing, members, picking, runs
from pooling.services.work import Direct
from tests import factories
from tests.assess import factories as judged
from tests.evaluation import factories as scored
from tests.pooling import files
from tests.site import Site

LONG = "Reranked" + "WithEveryFeatureThatSomebodyOnceThoughtOf" * 2
ARABIC = "تجارب الميناء: طاقة المد والجزر"
CHINESE = "港口试验二〇二六：潮汐能与鱼类洄游"
NAMES = (
    *("Mirja Lehtonen", "Kwame Asante", "Sofía Herrera", "Jürgen Weiß", "ليلى حداد", "佐藤 美咲", "Anjali Rao"),
    *("Tomasz Wójcik", "Æsa Þórsdóttir", "김서연", "Oluwaseun Adeyemi-Richardson", "Ng Wei Ling", "דנה לוי", LONG),
)
READING = """\
Over two spring seasons the survey followed tagged smolts through the narrows before and after the first turbine array was lowered. Passage times lengthened by a fifth on the ebb, while mortality stayed within the range of earlier years.

Detections thinned close to the blades, which suggests that the fish kept to the slower water near the northern bank. Eels, which were tagged in autumn only, showed no change in route that the receivers could resolve.

لم تظهر الأسماك أي تغيير في مسارها خلال فصل الخريف.

  1. Receivers at the sill
  2. Receivers at the northern bank

The authors advise that arrays in an estuary of this width leave a free channel of at least a third of the section, and that the rotors be slowed in the two weeks of peak migration.
"""
PAGE = """\
<html><head><title>Smolts at the narrows</title><style>body { display: none }</style></head><body>
<h1>Smolts and turbines at the narrows</h1>
<p>Over two spring seasons the survey followed <b>tagged smolts</b> through the narrows, before and after the first
<a href="https://harbour.example/array">turbine array</a> was lowered. Passage times lengthened by a fifth on the ebb.</p>
<h2>Methods</h2><p>Receivers lay at the sill and at the northern bank.<img src="map.png" alt="Map of the narrows"></p>
<table><tr><th>Season</th><th>Tagged</th><th>Passed</th></tr><tr><td>2040</td><td>210</td><td>188</td></tr></table>
<h2>Results</h2><ul><li>Detections thinned close to the blades.</li><li>Eels showed no change in route.</li></ul>
<blockquote>The fish kept to the slower water.</blockquote></body></html>
"""
DESCRIPTION = """\
Documents of **six harbour authorities**, 1998 to 2025, searched for what tidal power does to fish.

Fifty topics were written by marine biologists; runs come from twelve groups. See the [call for participation](/).
"""
GUIDELINES = """\
## What you judge

Judge the **document by itself**, as if you had asked the topic's question and nobody had answered it yet. What you
read earlier does not count: the tenth good report is as relevant as the first.

1. Read the topic's *narrative*, not its title alone.
2. Look for the passage that answers. One good paragraph is enough for **2**.
3. If you hesitate between two grades for longer than half a minute, take the lower one and write a note.

## What is not relevant

- A page that only links to an answer.
- A table of contents, unless the titles themselves answer.

> A survey of wave power that mentions turbines in one sentence is a **1** at most.

| Case | Grade |
|---|---|
| Reports observations of fish near a turbine | 2 or 3 |
| Policy paper with a chapter on migration | 1 or 2 |
"""


class World:
    """Made through the services where they say what may be, in bulk where only the number matters."""

    def __init__(self, site: Site) -> None:
        self.key = (site.data / "secret.key").read_text().strip()  # the site signs with its own, not with the tests'
        self.staff = factories.make_user("Ada Lindqvist", staff=True)
        self.organizer = factories.make_user("Ines Okafor")
        self.assessor = factories.make_user("Mirja Lehtonen")
        self.newcomer = factories.make_user("Noor Haddad")
        closed = factories.make_user("Conrad Closed")
        accounts.set_standing(by=self.staff, user=closed, is_active=False, is_staff=False)
        by = self.organizer
        odd = collections.create_collection(by=by, name=LONG, slug="long-name", task="web")
        Membership.objects.create(collection=odd, user=self.assessor, role=Role.ADJUDICATOR)
        self.arabic = collections.create_collection(by=by, name=ARABIC, slug="mina", task="discussion")
        self.chinese = collections.create_collection(by=by, name=CHINESE, slug="gangkou-2026", task="microblog")
        self.public = factories.make_collection(self.staff, "Lighthouse logs", task="known-item", visibility=Visibility.PUBLIC)
        self.archived = factories.make_collection(by, "Harbour trials 2024", task="question-answering")
        collections.archive_collection(self.archived)
        self.frozen = factories.make_collection(by, "Harbour trials 2025")
        self.frozen.judging_started_at = timezone.now() - timedelta(days=200)
        self.frozen.save()
        factories.join(self.frozen, self.newcomer, Role.RESEARCHER)
        members.end_membership(factories.join(self.frozen, self.assessor, Role.ASSESSOR))
        self.fresh = factories.make_collection(by, "Estuary experts", task="expert")
        self.main = collections.create_collection(
            by=by, name="Harbour trials 2026", slug="harbour-2026", task="ad-hoc", description=DESCRIPTION
        )
        collections.write_guideline(self.main, by=by, text="Judge by the text.")
        collections.write_guideline(self.main, by=by, text=GUIDELINES)
        self.machine = members.add_machine(self.main, name="llm-judge")[0]
        self._members()
        self._invitations()
        self._jobs()
        self._judging()
        self._tokens()
        with override_settings(DATA=site.data):
            self._releases()
            self._line(site)
            self._adaptive()
            self._sampled()

    def _judging(self) -> None:
        """Two topics half judged, by two; one of pages, one to practise; one of another script, one hard to lay out; and somebody who has done all."""
        by, collection = self.organizer, factories.make_collection(self.organizer, "Estuary reports 2026")
        self.judged, self.second = collection, factories.make_user("Kwame Asante-Boateng")
        for user in (self.assessor, self.second):
            factories.join(collection, user, Role.ASSESSOR)
        topics = judged.make_work(collection, by, topics=4, items=24)
        Topic.objects.filter(pk=topics[1].pk).update(
            title=ARABIC, description="كيف تؤثر توربينات المد والجزر على هجرة الأسماك؟"
        )
        Topic.objects.filter(pk=topics[2].pk).update(title=LONG, narrative=f"{LONG}\n\n{GUIDELINES}")
        texts = Document.objects.filter(corpus__collection=collection)
        texts.update(text=READING, title="Survey of smolt passage at the Kyle narrows", date="12 March 2041", language="en")
        pairs = [(topics[0], self.assessor, self.second), (topics[1], self.second, self.assessor)]
        wanted = [assigning.Wanted(topic, [first], [second]) for topic, first, second in pairs]
        assigning.assign(collection, by=by, wanted=wanted, overlap=0.5, seed=7)
        for user in (self.assessor, self.second):
            for place, card in enumerate(judging.next_items(collection, assessor=user, count=20)):
                grade = (place * (3 if user == self.second else 1)) % 4
                act, taken = uuid.uuid4(), 4.0 + place
                judging.record_judgment(
                    collection, assessor=user, seat=card.token, grade=grade, ahead=0, client_id=act, seconds=taken
                )
        self.seat = blind.judged(collection, self.assessor)[3].token
        self.docno = blind.judged(collection, self.assessor, topic="1")[0].docno
        self.reader = factories.make_user("Reza Reader")  # of pages of HTML
        factories.join(collection, self.reader, Role.ASSESSOR)
        assigning.assign(collection, by=by, wanted=[assigning.Wanted(topics[2], [self.reader])], overlap=0.5, seed=7)
        pages = PoolItem.objects.filter(topic=topics[2]).values_list("docno", flat=True)
        texts.filter(docno__in=list(pages)).update(html=PAGE, text=html_text(PAGE)[1])
        self.novice = factories.make_user("Noor Novice")
        factories.join(collection, self.novice, Role.ASSESSOR)
        assigning.assign(collection, by=by, wanted=[assigning.Wanted(topics[3], [self.novice])], overlap=0.5, seed=7)
        docnos = list(topics[3].items.order_by("docno").values_list("docno", flat=True)[:2])
        examples = [Example(docno, 2, "It reports counts of smolt, which the narrative asks for.") for docno in docnos]
        practice.set_practice(collection, topic=topics[3], examples=examples)
        asked = questions.ask(collection, assessor=self.assessor, seat=self.seat, text="Are eels meant too, or salmon alone?")
        questions.answer(collection, by=by, question=asked.pk, text="Eels too: the description names both.")
        open_ = blind.judged(collection, self.assessor)[5].token
        questions.ask(collection, assessor=self.assessor, seat=open_, text="هل تُحسب التقارير القديمة أيضًا؟")
        self._adjudicated()
        self.idle = factories.make_user("Ira Idle")
        factories.join(collection, self.idle, Role.ASSESSOR)
        self.done = factories.make_user("Dana Done")
        factories.join(self.chinese, self.done, Role.ASSESSOR)
        (topic,) = judged.make_work(self.chinese, by, topics=1, items=3)
        assigning.assign(self.chinese, by=by, wanted=[assigning.Wanted(topic, [self.done])], overlap=0)
        for card in judging.next_items(self.chinese, assessor=self.done, count=3):
            act = uuid.uuid4()
            judging.record_judgment(self.chinese, assessor=self.done, seat=card.token, grade=1, client_id=act)
        self.shared = factories.make_collection(by, "Shared topics")
        self.holder = factories.make_user("Hana Holder-Castellanos")
        for user in (self.holder, self.novice):
            factories.join(self.shared, user, Role.ASSESSOR)
        (topic,) = judged.make_work(self.shared, by, topics=1, items=12)
        assigning.assign(self.shared, by=by, wanted=[assigning.Wanted(topic, [self.holder, self.novice])], overlap=0)
        judging.next_items(self.shared, assessor=self.holder, count=5)

    def _adjudicated(self) -> None:
        """Somebody who decides, one decision and its second thought, and notes beside opinions."""
        collection, self.umpire = self.judged, factories.make_user("Umberto Umpire")
        factories.join(collection, self.umpire, Role.ADJUDICATOR)
        merging.set_plan(collection, by=self.organizer, show_own=True)
        collections.write_guideline(collection, by=self.organizer, text="Judge by the text.")
        Judgment.objects.filter(item__topic__number="1").update(note=f"{LONG}\n\nSee the second paragraph.")
        cases = adjudication.cases(collection, "1")
        for place, case in enumerate(cases[: len(cases) // 2]):
            said = {"reason": "borderline", "comment": LONG[:80], "precedent": "A table alone counts."}
            act = {"topic": "1", "docno": case.docno, **said}
            adjudicating.decide(collection, by=self.umpire, grade=place % 4, client_id=uuid.uuid4(), seen=None, **act)
        adjudicating.reopen(collection, by=self.umpire, topic="1", docno=cases[0].docno, client_id=uuid.uuid4())

    def _members(self) -> None:
        factories.join(self.main, self.assessor, Role.ASSESSOR)
        people = [
            User(
                username=f"member{n}" if n else LONG.lower(), name=NAMES[n] if n < len(NAMES) else f"Assessor {n}", password="!"
            )
            for n in range(58)
        ]
        people = User.objects.bulk_create([*people[1:], people[0]])
        roles = [Role.ASSESSOR, Role.ASSESSOR, Role.ADJUDICATOR, Role.PARTICIPANT, Role.RESEARCHER]
        rows = [Membership(collection=self.main, user=user, role=roles[n % 5]) for n, user in enumerate(people)]
        Membership.objects.bulk_create(rows)
        for user in people[3:6]:
            Membership.objects.filter(collection=self.main, user=user).update(ended_at=timezone.now())

    def _invitations(self) -> None:
        now, by = timezone.now(), self.organizer
        rows = [
            Invitation(
                collection=self.main,
                role=list(Role)[n % 5],
                created_by=by,
                email=f"guest{n}@marine-institute.example.org" if n % 3 == 0 else "",
                expires_at=now + timedelta(days=-1 if n % 5 == 3 else 14),
                max_uses=20 if n % 4 == 1 else 1,
                uses=1 if n % 4 == 2 else 0,
                revoked_at=now if n % 7 == 5 else None,
            )
            for n in range(30)
        ]
        Invitation.objects.bulk_create(rows)
        self.open_link = self.link(members.invite(self.arabic, by=by, role=Role.ASSESSOR, max_uses=50)[0])
        self.rival_link = self.link(members.invite(self.main, by=by, role=Role.PARTICIPANT)[0])
        revoked = members.revoke_invitation(members.invite(self.main, by=by, role=Role.RESEARCHER)[0])
        self.revoked_link = self.link(revoked)

    def link(self, invitation: Invitation) -> str:
        signer = Signer(key=self.key, sep=members._signer.sep, salt=members._signer.salt)
        return reverse("join", args=[signer.sign(str(invitation.pk))])

    def _jobs(self) -> None:
        """Ended ones, and a running and a waiting one that nobody touches: their times lie ahead."""
        ahead = timezone.now() + timedelta(hours=5)
        rows = [
            Job(
                name="export_collection",
                title=f"Export of {LONG if n == 3 else ARABIC if n == 4 else 'Harbour trials 2026'}",
                started_by=self.organizer,
                collection_id=self.main.pk,
                state="failed" if n % 9 == 4 else "done",
                attempt=3 if n % 9 == 4 else 1,
                message="It needed more than the 4096 MB of memory a job may use." if n % 9 == 4 else "4 files",
                done_count=1,
                total=1,
            )
            for n in range(38)
        ]
        lively = {"name": "trial", "started_by": self.organizer, "collection_id": self.main.pk, "attempt": 1}
        rows.append(Job(title="Import of documents", state="waiting", due_at=ahead, **lively))
        told = {"done_count": 8112, "total": 21480, "message": "Reading estuary.jsonl.gz, line 8,112"}
        rows.append(Job(title="Import of documents", state="running", heartbeat_at=ahead, **told, **lively))
        Job.objects.bulk_create(rows)
        mine = Job.objects.filter(collection_id=self.main.pk)
        self.running, self.failed = mine.get(state="running"), mine.filter(state="failed")[0]

    def _line(self, site: Site) -> None:
        """A collection with topics, documents, runs and two rounds of pool; files refused, being checked, and failed."""
        by = self.organizer
        self.line = factories.make_collection(by, "Harbour trials 2027")
        self.rival = factories.make_user("Kwame Rival")
        factories.join(self.line, self.rival, Role.PARTICIPANT)
        factories.join(self.line, self.assessor, Role.ASSESSOR)
        topics = [
            f"{n}\t{ARABIC if n == 3 else 'Do tidal turbines harm fish?'}\tWhat was seen of fish near turbines."
            for n in range(1, 61)
        ]
        files.take(self.line, by, "topics", "\n".join(topics).encode(), "topics.tsv")
        french = "\n".join(f"{n}\tLes turbines nuisent-elles aux poissons ?" for n in range(1, 61))
        files.take(self.line, by, "topics", french.encode(), "topics.fr.tsv", language="fr", parallel="yes")
        docnos = [f"FT{n:03}" for n in range(300)] + [LONG]
        files.take(self.line, by, "documents", files.documents(docnos, "Fish were seen."), "documents.jsonl")
        for number in range(12):
            ranked = {
                f"t{n}": " ".join(docnos[(n * 7 + number + k) % 300] for k in range(20)) for n in range(1, 61 - number % 2)
            }
            tag = "AVeryLongRunTag.WithAll25"[:25] if number == 5 else f"bm25-rm3-{number}"
            group = "" if number == 2 else ARABIC if number == 4 else "North Institute of Marine Retrieval"
            told = {"figure_latency_mean_ms": "12.5", "figure_index_bytes": "1048576"} if number == 1 else {}
            files.take_run(self.line, self.rival if number == 7 else by, files.run_file(tag, **ranked), group=group, **told)
        again = files.run_file("bm25-rm3-1", **{f"t{n}": " ".join(docnos[n : n + 20]) for n in range(1, 61)})
        files.take_run(self.line, by, again, group="North Institute of Marine Retrieval", replace="yes")
        files.draw(self.line, by, 3)
        files.draw(self.line, by, 5)
        for tag in ("dense-withdrawn", "dense-late"):
            late = files.take_run(self.line, self.rival, files.run_file(tag, t1="FT001 FT002"), group=ARABIC)
            if tag == "dense-withdrawn":
                self.withdrawn = runs.withdraw_run(late, by=self.rival)[0].upload
        with Direct(lambda done, total, words: None) as work:
            indexing.index_documents(self.line, work)
        texts = {"title": "Fish at night", "description": "What was seen of fish near turbines after dark."}
        self.draft = drafting.create_draft(self.line, by=by, number="61", texts=texts)
        for number in (1, 2, 3):
            drafting.grade_hit(self.draft, by=by, docno=f"FT00{number}", grade=number)
        bad = b"".join(b"%d Q0 FT%03d %d oops%d run tag\n" % (n % 70, n % 400, n, n) for n in range(250))
        self.refused = files.take(self.line, by, "run", bad + b"1 Q0 FT001 1 x\n" + LONG.encode() + b"\n", f"{LONG}.run")
        self.accepted = self.line.uploads.filter(kind="topics").earliest("pk")
        waiting = {"collection": self.line, "kind": "run", "sha256": "0" * 64, "size": 10**7, "uploaded_by": by, "path": "x"}
        self.checking = Upload.objects.create(name="dense.run.gz", job_id=self.running.pk, **waiting)
        self.lost = Upload.objects.create(name="lost.run", job_id=self.failed.pk, **waiting)
        self.undocumented = factories.make_collection(by, "Harbour trials 2028")
        files.take(self.undocumented, by, "topics", b"1\tone\n", "topics.tsv")
        files.take_run(self.undocumented, by, files.run_file("a", t1=" ".join(docnos[:50])))
        files.draw(self.undocumented, by, 50)

    def _adaptive(self) -> None:
        """An adaptive round of three topics, some of it judged, one of them stopped."""
        by = self.organizer
        self.adaptive = factories.make_collection(by, "Harbour trials 2029")
        factories.join(self.adaptive, self.assessor, Role.ASSESSOR)
        titles = ("Do tidal turbines harm fish?", ARABIC, CHINESE)
        files.take(self.adaptive, by, "topics", "\n".join(f"{n}\t{t}" for n, t in enumerate(titles, 1)).encode(), "topics.tsv")
        docnos = [f"AD{n:02}" for n in range(40)]
        files.take(self.adaptive, by, "documents", files.documents(docnos, READING), "documents.jsonl")
        for number in range(3):
            ranked = {f"t{n}": " ".join(docnos[(n + 3 * number + k) % 40] for k in range(34)) for n in (1, 2, 3)}
            files.take_run(self.adaptive, by, files.run_file(f"dense-{number}", **ranked))
        with Direct(lambda done, total, words: None) as work:
            indexing.index_documents(self.adaptive, work)
        files.draw_round(self.adaptive, by, "mtf", ahead=1, budget=30)
        assigning.auto_assign(self.adaptive, by=by, everything=True)
        for place in range(24):
            for card in judging.next_items(self.adaptive, assessor=self.assessor, count=1):
                grade = 2 if place % 3 == 0 and place < 12 else 0
                judging.record_judgment(
                    self.adaptive, assessor=self.assessor, seat=card.token, client_id=uuid.uuid4(), grade=grade, ahead=0
                )
        with Direct(lambda done, total, words: None) as work:
            strategies.compare_strategies(self.adaptive, budget=5, work=work)
        pool = self.adaptive.pools.get()
        for topic, done in (("1", 6), ("2", 2)):  # a sample that is judged, and one that is not yet
            drawn = checking.draw_check(pool, self.adaptive.topics.get(number=topic), by=by, count=6)
            for place, item in enumerate(drawn.items.all()[:done]):
                scored.judge(item, self.assessor, int(place == 0))
        picking.stop_topic(pool, self.adaptive.topics.get(number="3"), by=by, reason="The runs have nothing else on it.")

    def _sampled(self) -> None:
        """A sampled pool with its release; and a collection with topics and documents, but no run."""
        by = self.organizer
        self.sampled, self.runless = (factories.make_collection(by, f"Harbour trials {year}") for year in (2030, 2031))
        docnos = [f"SA{n:02}" for n in range(40)]
        for collection in (self.sampled, self.runless):
            files.take(collection, by, "topics", b"1\tDo tidal turbines harm fish?\n2\tEels at night\n", "topics.tsv")
            files.take(collection, by, "documents", files.documents(docnos, READING), "documents.jsonl")
        for number in range(4):
            ranked = {f"t{n}": " ".join(docnos[(n + 5 * number + k) % 40] for k in range(20)) for n in (1, 2)}
            files.take_run(self.sampled, by, files.run_file(f"sparse-{number}", **ranked))
        pool = files.draw_round(self.sampled, by, "two-strata", budget=9, depth=3)
        for place, item in enumerate(pool.items.all()):
            scored.judge(item, self.assessor, place % 3)
        scored.score(scored.freeze(self.sampled, by))

    def _tokens(self) -> None:
        now = timezone.now()
        for n, name in enumerate(("laptop", "nightly export of everything on the department's old server", LONG[:80], "مفتاح")):
            token, _secret = accounts.make_token(user=self.organizer, name=name, scopes=["read", "judge", "manage"][: n + 1])
            used = now - timedelta(hours=n) if n else None
            expires = now - timedelta(days=1) if n == 2 else now + timedelta(days=60)
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=used, expires_at=expires if n else None)
        accounts.revoke_token(token)

    def _releases(self) -> None:
        """Many runs with long tags under two releases and one that came later; and a collection that is being scored."""
        rng, collection, by = np.random.default_rng(7), self.frozen, self.organizer
        docnos = [f"HAR-{number:04}" for number in range(60)]
        topics = [str(number) for number in range(301, 341)]
        for n in range(25):
            ranked = {t: dict(zip(docnos, rng.gamma(2, 3, 60).round(4).tolist(), strict=True)) for t in topics[n % 3 :]}
            group = (LONG[:60], ARABIC, "Kelp", "", "Fjord & Sons")[n % 5]
            scored.make_run(collection, f"{'reranked-dense-rm3-title'[: 24 - n]}{n}"[:25], ranked, by=by, group=group)
            if n == 23:
                grades = {topic: dict(zip(docnos[:12], rng.integers(0, 4, 12).tolist(), strict=True)) for topic in topics[:12]}
                grades[topics[11]] = dict.fromkeys(docnos[:9], 0)
                scored.judge_all(collection, grades, self.assessor)
                for slot, other in ((2, self.newcomer), (3, self.second)):  # some documents have two opinions, some three
                    said = {topic: dict(zip(docnos[:5], rng.integers(0, 4, 5).tolist(), strict=True)) for topic in topics[:4]}
                    scored.judge_all(collection, said, other, slot=slot)
                scored.score(scored.freeze(collection, by, note="A first look, before the second opinions were in."))
                scored.score(scored.freeze(collection, by, "max", note=GUIDELINES[:300]))
        scored.judge(scored.make_item(collection, topics[0], docnos[0], by=by), self.assessor, 1)
        wrong = scored.freeze(collection, by, "min", note="By the wrong rule.")
        releases.set_state(
            wrong, by=by, state="withdrawn", note="Frozen by the wrong rule; release 4 will come with the right one."
        )
        lines = "".join(f"{topic} Q0 {docno} 1 {60 - n} mine\n" for topic in topics[1:] for n, docno in enumerate(docnos))
        trying.try_run(collection.releases.get(number=2), by=self.newcomer, data=lines.encode(), keep=True)
        self.kept = PrivateScore.objects.get(user=self.newcomer)
        scored.make_run(self.arabic, "mina1", {"1": {"a": 1.0}}, by=by)
        scored.judge_all(self.arabic, {"1": {"a": 1}}, by)
        scored.freeze(self.arabic, by)
        lively = {"started_by": by, "collection_id": self.arabic.pk, "attempt": 1, "state": "running"}
        lively |= {"heartbeat_at": timezone.now() + timedelta(hours=5), "done_count": 3, "total": 8}
        Job.objects.create(name="score_release", title="Scores", **lively)
        Job.objects.create(name="freeze_release", title="Release", **lively)

    @property
    def reset_path(self) -> str:
        uid = urlsafe_base64_encode(force_bytes(self.newcomer.pk))
        self.newcomer.refresh_from_db()  # signing in ends a link
        generator = PasswordResetTokenGenerator()
        generator.secret = self.key
        return reverse("reset_confirm", args=[uid, generator.make_token(self.newcomer)])
