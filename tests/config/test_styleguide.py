"""The styleguide shows every component there is."""

import pytest
from django.conf import settings

from tests.conftest import Cast, ClientFor


@pytest.mark.once
def test_every_component_is_shown(cast: Cast, client_for: ClientFor) -> None:
    there = {
        path.relative_to(settings.BASE_DIR / "templates") for path in (settings.BASE_DIR / "templates/components").glob("*")
    }
    shown = {template.name for template in client_for(cast.staff).get("/styleguide/").templates}
    assert sorted({str(path) for path in there} - shown) == []
