"""Mutants of the store: syncs, leases, collection, the catalogue, packs, verify and repair."""

from __future__ import annotations

from mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        name="file-not-synced",
        file="store/durable.py",
        before="                os.fchmod(fd, mode)\n            os.fsync(fd)",
        after="                os.fchmod(fd, mode)",
        harm="A power cut after a save leaves a pack of zeros, and the snapshot cannot be restored.",
        tests=("store/test_blobstore.py", "conformance/test_backends.py", "crash/test_power_cut.py"),
    ),
    Mutant(
        name="directory-not-synced",
        file="store/durable.py",
        before="        sync_directory(os.path.dirname(target))",
        after="        pass",
        harm="A power cut after a save removes the name of a pack, and the snapshot cannot be restored.",
        tests=(
            "store/test_durable.py",
            "store/test_blobstore.py",
            "conformance/test_backends.py",
            "crash/test_power_cut.py",
        ),
    ),
    Mutant(
        name="catalogue-commit-not-synced",
        file="store/catalogue/sqlite.py",
        before='f"PRAGMA synchronous = FULL; PRAGMA cache_size',
        after='f"PRAGMA synchronous = OFF; PRAGMA cache_size',
        harm="A power cut takes back a save that was reported as done.",
        tests=("store/catalogue/test_sqlite.py", "crash/test_power_cut.py"),
    ),
    Mutant(
        name="failed-savepoint-stays",
        file="store/catalogue/sqlite_connection.py",
        before='                    _end(connection, f"ROLLBACK TO {name}")',
        after="                    pass",
        harm="A step that failed inside a transaction is committed in part.",
        tests=("store/catalogue/test_sqlite.py", "conformance/test_databases.py"),
    ),
    Mutant(
        name="lease-of-a-past-generation",
        file="store/leases.py",
        before="                now = _generation(self._database)",
        after="                now = generation",
        harm="A save that began beside a collection fails when it has read all files, and has to begin again.",
        tests=("store/test_leases.py", "store/test_collection.py"),
    ),
    Mutant(
        name="commit-after-the-sweep",
        file="store/writer.py",
        before="                self._lease.check(tx)\n                added = self._batch.publish(tx)",
        after="                added = self._batch.publish(tx)",
        harm="A save that stood still during a collection records a snapshot whose content was removed.",
        tests=("store/test_writer.py", "store/test_collection.py", "store/test_leases.py"),
    ),
    Mutant(
        name="sweep-does-not-wait-for-leases",
        file="store/collection/sweeping.py",
        before="    return [row for row in rows if generations[row.generation]]",
        after="    return rows",
        harm="Maintenance removes content while another process restores it.",
        tests=("store/test_collection.py", "store/test_leases.py"),
    ),
    Mutant(
        name="sweep-does-not-look-again",
        file="store/collection/sweeping.py",
        before="            again = any(entry.id in needed for entry in blobs.entries_of(tx, row.id))",
        after="            again = False",
        harm="Maintenance removes content that a save came to need after the content was condemned.",
        tests=("store/test_collection.py",),
    ),
    Mutant(
        name="blob-stays-in-a-condemned-pack",
        file="store/catalogue/blobs.py",
        before="\"WHERE blobs.pack IN (SELECT packs.id FROM packs WHERE packs.state = 'condemned')\"",
        after="\"WHERE blobs.pack IN (SELECT packs.id FROM packs WHERE packs.state = 'pending')\"",
        harm="Content that a save stored again is removed together with the old pack that had it before.",
        tests=("store/test_collection.py", "store/test_writer.py"),
    ),
    Mutant(
        name="reader-trusts-a-pack",
        file="store/reader.py",
        before="        if location.kind != BlobKind.RECIPE and blake3(data).digest() != location.id:",
        after="        if False:",
        harm="A damaged or forged store puts other bytes into the user's files.",
        tests=("store/test_reader.py", "store/test_damage.py", "store/test_blobstore.py"),
    ),
    Mutant(
        name="verify-trusts-a-blob",
        file="store/verify.py",
        before="    return len(data) == entry.length and blake3(data).digest() == entry.id",
        after="    return len(data) == entry.length",
        harm="`takeback verify --read-data` calls a damaged store sound.",
        tests=("store/test_verify.py", "store/test_damage.py"),
    ),
    Mutant(
        name="repair-keeps-the-old-log",
        file="store/repair/install.py",
        before="        remove(os.path.join(directory, CATALOGUE + suffix))  # the log of",
        after="        pass  # the log of",
        harm="SQLite reads the log of the damaged catalogue into the repaired one, and damages it again.",
        tests=("engine/test_repair.py",),
    ),
)
