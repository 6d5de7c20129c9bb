"""An app of the tests' own: jobs that go wrong in every way, for a live site that is started with these settings."""
