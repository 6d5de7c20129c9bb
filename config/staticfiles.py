"""Static files under names that tell their content."""

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Also where one of our scripts imports another: a new version of either has a new name, and old ones are kept for ever.

    Django would rewrite the imports of all scripts or of none, and those of others are not ours to check.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("assess/*.js", (("""(?P<matched>from "(?P<url>\\./[^"]+)";)""", 'from "%(url)s";'),)),
    )
