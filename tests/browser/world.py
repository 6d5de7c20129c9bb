"""A well-filled site for the pages to be looked at: long names, other scripts, many members, invitations and jobs."""

from datetime import timedelta

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.signing import Signer
from django.urls import reverse
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from config import accounts
from config.models import ApiToken, Job, User
from pooling.models import Invitation, Membership, Role, Visibility
from pooling.services import collections, members
from tests import factories
from tests.site import Site

LONG = "Reranked" + "WithEveryFeatureThatSomebodyOnceThoughtOf" * 2
ARABIC = "تجارب الميناء: طاقة المد والجزر"
CHINESE = "港口试验二〇二六：潮汐能与鱼类洄游"
NAMES: tuple[str, ...] = (
    *("Mirja Lehtonen", "Kwame Asante", "Sofía Herrera", "Jürgen Weiß", "ليلى حداد", "佐藤 美咲", "Anjali Rao"),
    *("Tomasz Wójcik", "Æsa Þórsdóttir", "김서연", "Oluwaseun Adeyemi-Richardson", "Ng Wei Ling", "דנה לוי", LONG),
)
FIRST, LAST = (
    ("Amara", "Bruno", "Chiara", "Dmitri", "Elif", "Farid"),
    ("Nkosi", "Keller", "Moreau", "Silva", "Tanaka", "Vance", "Quist", "Olsen"),
)
NAMES += tuple(f"{first} {last}" for first in FIRST for last in LAST)
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
        self._tokens()

    def _members(self) -> None:
        factories.join(self.main, self.assessor, Role.ASSESSOR)
        people = [User(username=f"member{n}" if n else LONG.lower(), name=NAMES[n], password="!") for n in range(58)]
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

    def _tokens(self) -> None:
        now = timezone.now()
        for n, name in enumerate(("laptop", "nightly export of everything on the department's old server", LONG[:80], "مفتاح")):
            token, _secret = accounts.make_token(user=self.organizer, name=name, scopes=["read", "judge", "manage"][: n + 1])
            used = now - timedelta(hours=n) if n else None
            expires = now - timedelta(days=1) if n == 2 else now + timedelta(days=60)
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=used, expires_at=expires if n else None)
        accounts.revoke_token(token)

    @property
    def reset_path(self) -> str:
        uid = urlsafe_base64_encode(force_bytes(self.newcomer.pk))
        self.newcomer.refresh_from_db()  # signing in ends a link
        generator = PasswordResetTokenGenerator()
        generator.secret = self.key
        return reverse("reset_confirm", args=[uid, generator.make_token(self.newcomer)])
