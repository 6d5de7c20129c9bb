"""Django settings: every value comes from the environment, and all have a default that is safe on a laptop."""

import os
import secrets
from pathlib import Path
from urllib.parse import quote, unquote

from config import env

BASE_DIR = Path(__file__).resolve().parent.parent

# Before numpy is loaded: a page or a job that multiplies matrices on all processors takes them from whoever judges, and
# sums in parts, so that the last digit would depend on how many processors a machine has.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Where things live
DATA = Path(env.text("ASSIZE_DATA", str(BASE_DIR / "data"), about="Folder of the database, files, queue and logs.")).absolute()
HOST = env.text("ASSIZE_HOST", "127.0.0.1", about="Address the web server listens on.")
PORT = env.number("ASSIZE_PORT", 8000, least=1, most=65535, about="Port the web server listens on.")
_base = env.url(
    "ASSIZE_BASE_URL",
    ("http", "https"),
    "https://assize.example.org",
    about="Address people type; needed behind a proxy. An https address turns on secure cookies and HSTS.",
    secret=False,
)
if _base and _base.path not in {"", "/"}:
    raise env.BadSetting("ASSIZE_BASE_URL", _base.geturl(), "the site lives at the root of its host; leave the path out")
_shown = "localhost" if HOST in {"0.0.0.0", "::"} else f"[{HOST}]" if ":" in HOST else HOST
BASE_URL = _base.geturl().rstrip("/") if _base else f"http://{_shown}:{PORT}"
SITE_NAME = env.text("ASSIZE_SITE_NAME", "Assize", about="Name of the site in page titles and mails.")

# Security
LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}
HTTPS = bool(_base and _base.scheme == "https")
DEBUG = env.flag("ASSIZE_DEBUG", False, about="Django's debug pages; refused unless the host is this machine only.")
if DEBUG and HOST not in LOOPBACK:
    raise env.BadSetting(
        "ASSIZE_DEBUG", "1", f"debug pages show secrets; unset it, or set ASSIZE_HOST to 127.0.0.1 (it is {HOST})"
    )
DEMO = env.flag("ASSIZE_DEMO", False, about="Sign-in by a button, without passwords; set by `assize demo`, and by nobody else.")
if DEMO and HOST not in LOOPBACK:
    raise env.BadSetting("ASSIZE_HOST", HOST, "the demo asks for no passwords, and serves this machine alone; unset it")
ALLOWED_HOSTS = env.words("ASSIZE_ALLOWED_HOSTS", about="Host names the site answers to, separated by commas.")
if not ALLOWED_HOSTS:
    if HOST in {"0.0.0.0", "::"} and _base is None:
        raise env.BadSetting(
            "ASSIZE_HOST", HOST, "the site would answer under any name; say which with ASSIZE_BASE_URL or ASSIZE_ALLOWED_HOSTS"
        )
    ALLOWED_HOSTS = sorted({"localhost", "127.0.0.1", "[::1]", HOST, (_base and _base.hostname) or HOST} - {"0.0.0.0", "::"})
CSRF_TRUSTED_ORIGINS = [BASE_URL]
CSRF_FAILURE_VIEW = "config.http.csrf_failure"
TRUSTED_PROXIES = env.number(
    "ASSIZE_TRUSTED_PROXIES", 0, least=0, most=5, about="How many proxies in front of the site add X-Forwarded-For."
)
if DEMO and (TRUSTED_PROXIES or not set(ALLOWED_HOSTS) <= LOOPBACK or not DATA.name.endswith("-demo")):
    raise env.BadSetting("ASSIZE_DEMO", "1", "a site of its own, on this machine alone, is needed: start it with `assize demo`")
if HTTPS and TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # probes come over plain http from inside
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = 86400 * env.number(
    "ASSIZE_SESSION_DAYS", 14, least=1, most=365, about="Days after signing in until people sign in again."
)
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
if not HTTPS and (_base.hostname if _base else HOST) in LOOPBACK:
    # Plain http on this machine alone: nothing travels. Anywhere else these warnings stand.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]


def _secret_key() -> str:
    """The key from the environment, else the one generated once into the data folder."""
    given = env.text("ASSIZE_SECRET_KEY", about="Signs sessions and links; unset: made once in the data folder.", secret=True)
    if given:
        if len(given) < 50:
            raise env.BadSetting("ASSIZE_SECRET_KEY", "…", "it is shorter than 50 characters; unset it to have one made")
        return given
    try:
        DATA.mkdir(parents=True, exist_ok=True)
        path = DATA / "secret.key"
        # Written aside and linked, so that two processes starting at once agree on one key.
        if not path.exists():
            aside = DATA / f".secret.{os.getpid()}"
            with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(64))
            try:
                os.link(aside, path)
            except FileExistsError:
                pass
            aside.unlink()
        return path.read_text().strip()
    except OSError as error:
        raise env.BadSetting("ASSIZE_DATA", str(DATA), f"{error.strerror}; name a folder that can be written to") from None


SECRET_KEY = _secret_key()

# Applications
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "config.apps.StaticConfig",
    "django.contrib.humanize",
    "django.forms",
    "django_htmx",
    "django_rq",
    "config",
    "pooling",
    "assess",
    "evaluation",
]
MIDDLEWARE = [
    "config.http.RequestIds",
    "config.http.SecurityHeaders",
    "config.http.Bodies",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.http.Gzip",
    "config.http.PlainErrors",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.api.Gate",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.health.banner",
            ],
            "builtins": ["config.templatetags.words"],
        },
    }
]

# Database
SQLITE_PRAGMAS = {"journal_mode": "WAL", "synchronous": "FULL", "foreign_keys": "ON"}
_postgres = env.url(
    "ASSIZE_DATABASE_URL",
    ("postgres", "postgresql"),
    "postgres://user:password@host:5432/assize",
    about="PostgreSQL database; unset: SQLite in the data folder.",
)
DATABASES: dict[str, dict[str, object]] = {
    "default": {**env.database(_postgres), "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
    if _postgres
    else {
        "ENGINE": "config.sqlite",
        "NAME": DATA / "assize.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "".join(f"PRAGMA {name}={value};" for name, value in SQLITE_PRAGMAS.items()),
        },
    }
}
PG_BIN = env.text("ASSIZE_PG_BIN", about="Folder of pg_dump and pg_restore, for backups; unset: they are on the PATH.")
SEARCH = env.choice(
    "ASSIZE_SEARCH",
    "folder",
    {"folder": 1, "database": 1},
    about="Where search indexes are kept: `folder`, the data folder, or `database`, for sites of several machines.",
)
if SEARCH == "database" and not _postgres:
    raise env.BadSetting("ASSIZE_SEARCH", SEARCH, "that needs PostgreSQL; unset it, or set ASSIZE_DATABASE_URL")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Jobs
_redis = env.url(
    "ASSIZE_REDIS_URL",
    ("redis", "rediss", "unix"),
    "redis://:password@host:6379/0",
    about="Redis or Valkey server; unset: one is started in the data folder.",
)
REDIS_EMBEDDED = _redis is None
REDIS_SOCKET = Path(unquote(_redis.path)) if _redis and _redis.scheme == "unix" else env.socket_path(DATA)
# As it was written: geturl() makes unix:/path of unix:///path, which the client does not take.
REDIS_URL = os.environ["ASSIZE_REDIS_URL"].strip() if _redis else f"unix://{quote(str(REDIS_SOCKET))}"
RQ_QUEUES = {"default": {"URL": REDIS_URL, "DB": None, "SERIALIZER": "rq.serializers.JSONSerializer"}}
RQ = {
    "COMMIT_MODE": "auto",
    "WORKER_CLASS": "config.worker.Worker",
    "JOB_CLASS": "config.worker.QueuedJob",
}  # config.jobs alone enqueues, after the commit
WORKERS = env.number("ASSIZE_WORKERS", 1, least=0, most=64, about="Job workers that `assize up` starts.")
WEB_PROCESSES = env.number(
    "ASSIZE_WEB_PROCESSES",
    2,
    least=1,
    most=64,
    about="Processes of the web server; each keeps a core busy, and takes about 120 MB.",
)
WEB_THREADS = env.number(
    "ASSIZE_WEB_THREADS", 8, least=1, most=256, about="Requests that each process of the web server handles at once."
)
JOB_MEMORY_MB = env.number("ASSIZE_JOB_MEMORY_MB", 4096, least=256, most=1_048_576, about="Memory one job may use.")

# Accounts and mail
AUTH_USER_MODEL = "config.User"
AUTHENTICATION_BACKENDS = ["config.accounts.NameOrMailBackend"]
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "sign_in", "home", "sign_in"
PASSWORD_RESET_TIMEOUT = 86400
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LEASE_SECONDS = env.number(
    "ASSIZE_LEASE_SECONDS",
    1800,
    least=5,
    most=86_400,
    about="Idle time after which a document of a shared topic that somebody took goes to the next.",
)
OPEN_SIGNUP = env.flag("ASSIZE_OPEN_SIGNUP", False, about="Anybody may make an account; off: by invitation only.")
LOGIN_ATTEMPTS = env.number(
    "ASSIZE_LOGIN_ATTEMPTS",
    10,
    least=1,
    most=1000,
    about="Failed sign-ins per account in 15 minutes; five times as many per peer.",
)
_mail = env.url(
    "ASSIZE_EMAIL_URL",
    ("smtp", "smtp+tls", "smtps"),
    "smtp+tls://user:password@mail.example.org:587",
    about="Mail server; unset: mails are printed on the console.",
)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _mail else 'console'}.EmailBackend"
if _mail:
    EMAIL_HOST, EMAIL_PORT = _mail.hostname or "", _mail.port or {"smtps": 465, "smtp": 25}.get(_mail.scheme, 587)
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
    EMAIL_USE_TLS, EMAIL_USE_SSL, EMAIL_TIMEOUT = _mail.scheme == "smtp+tls", _mail.scheme == "smtps", 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("ASSIZE_EMAIL_FROM", "assize@localhost", about="Sender of the site's mails.")

# Files, time, language
STATIC_URL, STATIC_ROOT = "static/", DATA / "static"
MEDIA_ROOT = DATA / "files"
_storage = env.url(
    "ASSIZE_STORAGE_URL",
    ("s3", "s3+http"),
    "s3://key:secret@s3.example.org/bucket",
    about="S3-compatible store that several machines share; unset: files are in the data folder alone.",
)
STORAGES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.staticfiles.Storage"},
    **({"shared": env.storage("ASSIZE_STORAGE_URL", _storage)} if _storage else {}),
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_621_440
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # a page of the grid that assigns topics has a field for each cell
UPLOAD_MB = env.number(
    "ASSIZE_UPLOAD_MB",
    1024,
    least=1,
    most=1_048_576,
    about="Size of an upload at most, in MB; of runs, topics and qrels also unpacked.",
)
UPLOAD_LINES = env.number(
    "ASSIZE_UPLOAD_LINES",
    20_000_000,
    least=1000,
    most=2_000_000_000,
    about="Lines of a file of runs, topics or qrels at most.",
)
FILE_UPLOAD_HANDLERS = [
    "config.uploads.UploadLimit",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
USE_THOUSAND_SEPARATOR = False
TIME_ZONE = env.time_zone("ASSIZE_TIME_ZONE", "UTC", about="Time zone of the pages, such as Europe/Paris.")
env.text("ASSIZE_TEST_DATABASE_URL", about="PostgreSQL server the tests use instead of starting one.", secret=True)
env.text("ASSIZE_TEST_CHROMIUM", about="Chromium or Chrome that the browser tests use.")

LOG_FORMAT = env.choice(
    "ASSIZE_LOG_FORMAT", "text", {"text": 1, "json": 1}, about="text: lines for people; json: one object a line."
)
LOG_REQUESTS = env.flag("ASSIZE_LOG_REQUESTS", False, about="Log every request with its status and time.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "config.logs.Lines", "format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"},
        "json": {"()": "config.logs.Json"},
    },
    "filters": {"one_line": {"()": "config.logs.OneLine"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {
        "handlers": ["stderr"],
        "level": env.choice(
            "ASSIZE_LOG_LEVEL",
            "INFO",
            {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40},
            about="Least level that is logged.",
        ),
    },
    "loggers": {
        "django.utils.autoreload": {"level": "INFO"},
        "django": {"level": "INFO"},
        "django.security.DisallowedHost": {"filters": ["one_line"]},
    },
}
