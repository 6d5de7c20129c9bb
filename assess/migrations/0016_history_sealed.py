"""History is not replaced row by row nor emptied as a whole either."""

from django.db import migrations

from config import append_only

seals = [
    append_only.seal("assess_judgmentevent", "A judgment event is never changed or deleted", [["id"], ["client_id"]]),
    append_only.seal("assess_decisionevent", "A decision event is never changed or deleted", [["id"], ["client_id"]]),
]


class Migration(migrations.Migration):
    dependencies = [("assess", "0015_seat_topic")]
    operations = [migrations.RunPython(refuse, allow) for refuse, allow in seals]
