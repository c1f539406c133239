from __future__ import annotations

import pytest

from takeback.sources.container import secrets

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

SECRETS = [
    # by name
    ("GITHUB_TOKEN", "abc"),
    ("token", "x"),
    ("AUTH_TOKEN_2", "x"),
    ("SECRET", "x"),
    ("CLIENT_SECRET", "x"),
    ("SECRET_KEY_BASE", "x"),
    ("DJANGO_SECRET_KEY", "x"),
    ("POSTGRES_PASSWORD", "postgres"),
    ("PGPASSWORD", "x"),
    ("MYSQL_ROOT_PASSWORD", "12345678"),
    ("MYSQL_PWD", "x"),
    ("db_pass", "x"),
    ("VNC_PW", "vncpassword"),
    ("SSH_PASSPHRASE", "correct horse"),
    ("OPENAI_API_KEY", "x"),
    ("apiKey", "x"),
    ("APIKEY", "x"),
    ("AWS_ACCESS_KEY_ID", "x"),
    ("AWS_SECRET_ACCESS_KEY", "x"),
    ("AZURE_STORAGE_KEY", "x"),
    ("PRIVATE_KEY", "x"),
    ("ENCRYPTION_KEY", "x"),
    ("APP_KEY", "base64:xyz"),
    ("DB_CREDENTIALS", "u:p"),
    ("GOOGLE_CREDENTIALS", '{"type": "service_account"}'),
    ("SENTRY_DSN", "https://abc@sentry.example.org/2"),
    ("RABBITMQ_ERLANG_COOKIE", "x"),
    ("HASH_SALT", "x"),
    ("BASIC_AUTH", "me:mine"),
    ("GITHUB_PAT", "x"),
    # by value, whatever the name says
    ("DATABASE_URL", "postgres://me:pass@db/app"),
    ("CACHE", "redis://:pass@cache:6379/0"),
    ("HTTPS_PROXY", "http://me:mine@proxy:3128"),
    ("CALLBACK", "https://example.org/hook?token=0123456789abcdef"),
    ("STORAGE", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=Zm9v"),
    ("CONNECTION", "Server=db;User Id=sa;Password=hunter2"),
    ("MOUNT_OPTIONS", "username=me,password=hunter2,vers=3.0"),
    ("ARGUMENTS", "run --api-key=abcdef --verbose"),
    ("HEADER", f"Bearer {JWT}"),
    ("SESSION", JWT),
    ("CONFIG", '{"key": "-----BEGIN RSA PRIVATE KEY-----\\nMIIE"}'),
    ("A", "-----BEGIN PRIVATE KEY-----\nMIIE"),
    ("B", "-----BEGIN OPENSSH PRIVATE KEY-----"),
    ("C", "sk-proj-" + "a1" * 12),
    ("D", "sk-ant-api03-" + "b2" * 20),
    ("E", "ghp_" + "A1" * 18),
    ("F", "github_pat_11" + "A" * 30),
    ("G", "glpat-" + "a" * 20),
    ("H", "xoxb-1234567890-abc"),
    ("I", "AKIA" + "ABCD1234" * 2),
    ("J", "AIza" + "a" * 35),
    ("K", "hf_" + "aB3" * 10),
    ("L", "npm_" + "a1" * 18),
    ("M", "AGE-SECRET-KEY-1QQPQZ"),
    ("N", "https://hooks.slack.com/services/T000/B000/XXXXXXXX"),
    ("TOKEN_FILE", "ghp_" + "A1" * 18),
]

PLAIN = [
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("HOME", "/root"),
    ("PWD", "/work"),
    ("OLDPWD", "/"),
    ("DISPLAY", ":1"),
    ("KEYBOARD_LAYOUT", "us"),
    ("AUTHOR", "Jo Doe"),
    ("GIT_AUTHOR_NAME", "Jo Doe"),
    ("XAUTHORITY", "/root/.Xauthority"),
    ("SSH_AUTH_SOCK", "/tmp/agent.1"),
    ("LANG", "C.UTF-8"),
    ("TERM", "xterm-256color"),
    ("MAX_TOKENS", "4096"),
    ("TOKENIZERS_PARALLELISM", "false"),
    ("TOKEN_TTL", "3600"),
    ("TOKEN_URL", "https://example.org/token"),
    ("POSTGRES_PASSWORD_FILE", "/run/secrets/pg"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "/etc/keys/service.json"),
    ("PASSWORD_MIN_LENGTH", "12"),
    ("SECRET_NAME", "db"),
    ("API_KEY_HEADER", "X-Api-Key"),
    ("API_KEY", ""),
    ("USE_TOKEN", "true"),
    ("PASSWORD_REQUIRED", "yes"),
    ("PUBLIC_KEY", "ssh-ed25519 AAAA"),
    ("STRIPE_PUBLISHABLE_KEY", "pk_live_x"),
    ("SORT_KEY", "name"),
    ("PRIMARY_KEY", "id"),
    ("CACHE_KEY_PREFIX", "app"),
    ("MONKEY", "george"),
    ("KEYCLOAK_REALM", "app"),
    ("HOTKEYS", "ctrl+c"),
    ("PASSENGER_APP_ENV", "production"),
    ("BYPASS", "localhost"),
    ("COMPASS", "north"),
    ("PASS_THROUGH_ARGS", "-v"),
    ("SECRETARY", "Jo"),
    ("AUTHENTICATION_BACKEND", "ldap"),
    ("AUTH_ENABLED", "1"),
    ("DATABASE_URL", "postgres://db/app"),
    ("DATABASE_URL", "postgres://me@db/app"),
    ("HTTPS_PROXY", "http://proxy:3128"),
    ("REGION", "asiapacificnortheast"),
    ("MODULE", "sk-learn-contrib-something-long"),
    ("TASK", "task-0123456789012345678901234"),
    ("GIT_COMMIT", "0123456789abcdef0123456789abcdef01234567"),
    ("IMAGE_DIGEST", "sha256:" + "ab" * 32),
    ("BUILD_ID", "2b6b1c4e-7f39-4c1c-9b1e-6c8a3d9f0a11"),
    ("SINCE", "12:30"),
    ("ARGUMENTS", "--tokens=12 --secrets-file=/run/x"),
    ("RANGE", "http://example.org:8080/a@b"),
]


@pytest.mark.parametrize(("name", "value"), SECRETS)
def test_a_secret_is_known_by_its_name_or_its_shape(name: str, value: str) -> None:
    assert secrets.is_secret(name, value)


@pytest.mark.parametrize(("name", "value"), PLAIN)
def test_what_is_no_secret_stays(name: str, value: str) -> None:
    assert not secrets.is_secret(name, value)


def test_what_the_image_sets_is_no_secret_unless_it_was_changed() -> None:
    image = ["API_TOKEN=example", "OTHER_TOKEN=example", "PATH=/bin"]
    given = ["API_TOKEN=example", "OTHER_TOKEN=mine", "PATH=/bin", "NEW_TOKEN=x", "UNSET_TOKEN"]
    assert secrets.names(given, image) == {"OTHER_TOKEN", "NEW_TOKEN"}
