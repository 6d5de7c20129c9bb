"""Whole sites: started, killed, loaded."""

import pytest


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    """None: every site has a database of its own."""


@pytest.fixture(scope="session", autouse=True)
def _static_files() -> None:
    """Every site collects its own."""
