"""Jobs of this app: each loads by id, calls one service, and may be run twice."""

import json

from config import housekeeping, jobs, store
from config.errors import Refusal
from config.models import User
from pooling.core.baseline import Model
from pooling.models import Collection, Invitation, Pool, Upload
from pooling.services import baselines, collections, documents, indexing, members, pools, uploads


@jobs.job("export_collection", minutes=60)
def export_collection(running: jobs.Running) -> None:
    collection = Collection.objects.get(pk=running.args["collection"])
    running.progress(0, message="Writing the archive")
    aside = running.folder() / "export.zip"
    count = collections.export_collection(collection, aside)
    output = f"files/exports/{running.job.pk}/{collection.slug}.zip"
    with running.finish(f"{count} files", output=output):
        store.move(aside, output)


@jobs.job("send_invitation", minutes=2)
def send_invitation(running: jobs.Running) -> str:
    invitation = Invitation.objects.select_related("collection", "created_by").get(pk=running.args["invitation"])
    members.send_invitation(invitation)
    return f"Sent to {invitation.email}"


@jobs.job("check_upload", minutes=120)
def check_upload(running: jobs.Running) -> None:
    upload = Upload.objects.select_related("collection", "uploaded_by").get(pk=running.args["upload"])
    uploads.check_upload(upload, running)


@housekeeping.hourly("replaced documents")
def forget_replaced() -> int:
    return documents.forget_replaced()


@housekeeping.hourly("refused files")
def forget_refused() -> int:
    return uploads.forget_refused()


@housekeeping.hourly("files of no upload")
def forget_strays() -> int:
    return uploads.forget_strays()


@jobs.job("draw_pool", minutes=120)
def draw_pool(running: jobs.Running) -> None:
    pool = Pool.objects.select_related("collection").filter(pk=running.args["pool"]).first()
    if pool is None:
        raise Refusal("This round was given up.")
    pools.draw_pool(pool, running)


@jobs.job("make_baseline", minutes=120)
def make_baseline(running: jobs.Running) -> None:
    args = running.args
    collection, by = Collection.objects.get(pk=args["collection"]), User.objects.get(pk=args["by"])
    baselines.make_baseline(collection, by=by, model=Model(**json.loads(args["model"])), work=running)


@jobs.job("index_documents", minutes=240)
def index_documents(running: jobs.Running) -> None:
    indexing.index_documents(Collection.objects.get(pk=running.args["collection"]), running)
