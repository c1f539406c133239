"""What can go wrong with a snapshot file, under Persist's names.

::

    PersistError                    1    anything else; also a TakebackError, as all of these
    ├── PersistConfigurationError   2    fix the call: a storage that is not there, an agent that cannot come back
    ├── PersistIntegrityError      13    the file is not what was written
    │   └── PersistCompressionError      its bytes cannot even be decompressed
    ├── PersistS3Error             15    Persist's name for trouble with S3; nothing here raises it
    ├── PersistNotFoundError       10    no such file; also a FileNotFoundError, which Persist's callers catch
    └── PersistUnavailableError    15    a package is missing, a disk is full, a file is too new; also an OSError
"""

from __future__ import annotations

from takeback.errors import Integrity, InvalidInput, NotFound, TakebackError, Unavailable


class PersistError(TakebackError):
    pass


class PersistConfigurationError(PersistError, InvalidInput):
    pass


class PersistIntegrityError(PersistError, Integrity):
    pass


class PersistCompressionError(PersistIntegrityError):
    pass


class PersistS3Error(PersistError, Unavailable):
    pass


class PersistNotFoundError(PersistError, NotFound, FileNotFoundError):
    pass


class PersistUnavailableError(PersistError, Unavailable, OSError):
    pass


def unusable(path: str, doing: str, error: OSError) -> PersistError:
    """An operating system's error in our words."""
    if isinstance(error, FileNotFoundError):
        return PersistNotFoundError(f"cannot {doing} {path}: no such file", hints=["check the path"])
    return PersistUnavailableError(
        f"cannot {doing} {path}: {error.strerror or error}", hints=["check its permissions and the space on its disk"]
    )
