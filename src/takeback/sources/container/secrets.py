"""Which variables of an environment are secrets, so that a snapshot keeps their names and not their values.

A name says so by its words (``GITHUB_TOKEN``, ``db_pass``, ``apiKey``), unless its last word says that it is about a secret
(``TOKEN_TTL``, ``PASSWORD_FILE``); a value says so by its shape (a private key, a URL with a password in it, a token with the
mark of whoever issued it). What the image itself sets is no secret: whoever has the image has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

_ANYWHERE = frozenset(
    """SECRET SECRETS TOKEN TOKENS PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE CREDENTIAL CREDENTIALS CREDS APIKEY APIKEYS
    DSN JWT""".split()
)
_LAST = frozenset("PASS PW PWD SALT COOKIE AUTH PAT".split())
"""Words that mean a secret only at the end: ``DB_PASS``, not ``PASS_THROUGH``."""
_ENDINGS = ("PASSWORD", "PASSWD", "SECRET", "TOKEN", "APIKEY", "SECRETKEY", "PRIVATEKEY", "ACCESSKEY")
"""Of words that nobody parted: ``PGPASSWORD``."""
_KEYS_OF = frozenset(
    """API APP PRIVATE SECRET ACCESS ENCRYPTION DECRYPTION SIGNING MASTER SSH DEPLOY LICENSE AUTH ACCOUNT STORAGE SERVICE
    SESSION HMAC AES WEBHOOK ADMIN TLS SSL""".split()
)
"""What a key is of if it must stay unknown; a sort key or a public key need not."""
_ABOUT = frozenset(
    """FILE FILES PATH PATHS DIR DIRECTORY URL URI ENDPOINT HOST PORT TTL EXPIRY EXPIRES EXPIRATION TIMEOUT LENGTH LEN SIZE
    LIMIT COUNT MAX MIN ENABLED DISABLED TYPE NAME HEADER ALGORITHM ALG PREFIX SUFFIX POLICY VERSION ISSUER AUDIENCE INTERVAL
    HELPER PROVIDER MODE COMMAND REQUIRED FORMAT FIELD BACKEND BUDGET SECONDS MINUTES HOURS DAYS""".split()
)
"""Last words of what is about a secret, and none itself."""
_ALONE = frozenset(("PWD", "OLDPWD"))
"""The shell's directories."""
_SAYS_NOTHING = frozenset(("", "0", "1", "true", "false", "yes", "no", "on", "off", "none", "null"))
_FILE = re.compile(r"(?:/[\w.@ -]+)+\.\w+")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_SHAPES = re.compile(
    r"""-----BEGIN[ A-Z0-9]*\ PRIVATE\ KEY
    |\bAGE-SECRET-KEY-1
    |\beyJ[\w-]{6,}\.eyJ[\w-]{6,}\.[\w-]*                                        # a signed JWT
    |^(?i:[a-z][a-z0-9+.-]*)://[^\s/@:]*:[^\s/@]+@                              # scheme://user:password@host
    |(?i:[?&;](?:access_token|api_?key|sig|signature|token|password)=[^&\s]{8,})
    |(?i:(?:^|[;,\s]|--)(?:password|pwd|passwd|token|api-?key|secret|accountkey|sharedaccesskey)\s*=\s*[^;,\s]+)
    |^(?i:bearer|basic)\s+[\w+/=.~-]{12,}$
    |\b[sr]k[-_](?=[\w-]*\d)[\w-]{20,}                                         # of several services
    |\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{20,}|glpat-[\w-]{16,})
    |\b(?:xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{20,})
    |\b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    |\b(?:AIza[\w-]{30,}|ya29\.[\w-]{20,})
    |\b(?:npm_|hf_|gsk_|r8_|xai-|pplx-)(?=\w*\d)[A-Za-z0-9]{20,}
    |\b(?:dop_v1_|shp(?:at|ss|ca|pa)_)[a-fA-F0-9]{20,}
    |\b(?:pypi-AgE|hvs\.|lsv2_|tvly-)[\w-]{16,}
    |\bwhsec_[\w+/=]{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}
    |https://hooks\.slack\.com/\w+/\S{10,}|https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\S{10,}""",
    re.VERBOSE,
)


def names(environment: Iterable[str], defaults: Iterable[str] = ()) -> frozenset[str]:
    """The variables in ``environment`` (``NAME=value``) that are secrets; ``defaults`` is the image's own environment."""
    known = frozenset(defaults)
    return frozenset(
        name
        for each in environment
        if each not in known
        for name, given, value in [each.partition("=")]
        if given and is_secret(name, value)
    )


def hidden(name: str, value: str) -> str:
    """A value as it may be shown."""
    return "…" if is_secret(name, value) else value


def is_secret(name: str, value: str) -> bool:
    if value.strip().lower() in _SAYS_NOTHING:
        return False
    return bool(_SHAPES.search(value)) or _names_a_secret(name, value)


def _names_a_secret(name: str, value: str) -> bool:
    words = [word.upper() for word in _WORDS.findall(name)]
    if not words or words[-1] in _ABOUT or (len(words) == 1 and words[0] in _ALONE):
        return False
    if "PUBLIC" in words or "PUBLISHABLE" in words:
        return False
    if value.isdigit() and ("TOKENS" in words or words[-1] == "AUTH"):
        return False  # MAX_TOKENS
    if _FILE.fullmatch(value):
        return False  # GOOGLE_APPLICATION_CREDENTIALS
    if words[-1] in _LAST or any(word in _ANYWHERE or word.endswith(_ENDINGS) for word in words):
        return True
    return any(word in ("KEY", "KEYS") and before in _KEYS_OF for before, word in pairwise(words))
