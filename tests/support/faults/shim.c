/* Counts every call that changes something below some directories, and lets the one of a given number go wrong.
 *
 * Loaded with LD_PRELOAD it stands between a process, with all its libraries and threads, and libc: Python, SQLite
 * inside of apsw, ctypes. What is written through a mapping (SQLite's shared index, which is made anew after a crash) it
 * cannot see. `faults_arm` begins, `faults_pause` lets a test's own writes through uncounted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

enum { COUNT = 0, KILL = 1, FAIL = 2, BREAK = 3, FILL = 4, TEAR = 5, STOP = 6, DENY = 7 };
enum { CHANGES = 1, GROWS = 2, WRITES = 3, SYNCS = 4 }; /* WRITES also grows, and can be done by half */

#define TRACED 8192
#define NAME 256
#define PLACES 4
#define HALF (-2) /* do half of this write */

static atomic_int armed, paused;
static atomic_long calls, failures;
static int fault;
static long number;
static struct { char path[PATH_MAX]; size_t length; } below[PLACES];
static struct { int kind; char text[NAME]; } trace[TRACED];

/* The directories, one a line. */
void faults_arm(const char *directories, int which, long at) {
    for (int place = 0; place < PLACES; place++) {
        size_t length = strcspn(directories, "\n");
        snprintf(below[place].path, PATH_MAX, "%.*s", (int)length, directories);
        below[place].length = length;
        directories += length + (directories[length] == '\n');
    }
    fault = which;
    number = at;
    atomic_store(&calls, 0);
    atomic_store(&failures, 0);
    atomic_store(&paused, 0);
    atomic_store(&armed, 1);
}

void faults_disarm(void) { atomic_store(&armed, 0); }
void faults_pause(int on) { atomic_fetch_add(&paused, on ? 1 : -1); }
long faults_calls(void) { return atomic_load(&calls); }
long faults_failures(void) { return atomic_load(&failures); }
int faults_kind(long at) { return trace[at - 1].kind; }
const char *faults_text(long at) { return trace[at - 1].text; }

static int place(int directory, const char *path, char *out) {
    char link[64], base[PATH_MAX];
    ssize_t length;
    if (path != NULL && path[0] == '/') {
        snprintf(out, PATH_MAX, "%s", path);
        return 1;
    }
    if (path != NULL && directory == AT_FDCWD) {
        if (getcwd(base, sizeof base) == NULL) return 0;
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        length = readlink(link, base, sizeof base - 1);
        if (length < 0) return 0;
        base[length] = 0;
    }
    if (path != NULL) snprintf(out, PATH_MAX, "%.2000s/%.2000s", base, path);
    else snprintf(out, PATH_MAX, "%s", base);
    return 1;
}

/* Where in a path the part below one of the directories begins; -1 if it is in none of them. */
static long inside(const char *path) {
    for (int place = 0; place < PLACES && below[place].length; place++) {
        size_t length = below[place].length;
        if (strncmp(path, below[place].path, length) == 0 && (path[length] == '/' || path[length] == 0))
            return length + (path[length] == '/');
    }
    return -1;
}

/* What the next call has coming: 0 to go on, an errno to fail with, or HALF. */
static int point(const char *name, int kind, int directory, const char *path) {
    char at[PATH_MAX];
    long mine;
    if (!atomic_load(&armed) || atomic_load(&paused)) return 0;
    int saved = errno;
    int known = place(directory, path, at);
    errno = saved;
    long begin = known ? inside(at) : -1;
    if (begin < 0) return 0;
    mine = atomic_fetch_add(&calls, 1) + 1;
    if (mine <= TRACED) {
        trace[mine - 1].kind = kind;
        snprintf(trace[mine - 1].text, NAME, "%s %.200s", name, at + begin);
    }
    if (fault == COUNT || mine < number) return 0;
    int grows = kind == GROWS || kind == WRITES, result = 0;
    switch (fault) {
    case KILL:
        syscall(SYS_kill, getpid(), SIGKILL);
        for (;;) pause();
    case STOP:
        if (mine == number) syscall(SYS_kill, getpid(), SIGINT);
        break;
    case FAIL: result = mine == number ? EIO : 0; break;
    case DENY: result = mine == number ? EACCES : 0; break;
    case BREAK: result = EIO; break;
    case FILL: result = grows ? ENOSPC : 0; break;
    case TEAR: result = mine == number && kind == WRITES ? HALF : grows ? ENOSPC : 0; break;
    }
    if (result != 0) atomic_fetch_add(&failures, 1);
    return result;
}

#define REAL(type, name, ...)                                             \
    static type (*real)(__VA_ARGS__);                                     \
    if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define PASS_OR_FAIL(name, kind, directory, path)                         \
    do {                                                                  \
        int wrong = point(name, kind, directory, path);                   \
        if (wrong != 0) { errno = wrong == HALF ? EIO : wrong; return -1; } \
    } while (0)

/* -- opening */

static int opening(int directory, const char *path, int flags) {
    if (!(flags & (O_CREAT | O_TRUNC))) return 0;
    int saved = errno;
    int there = syscall(SYS_faccessat, directory, path, F_OK) == 0;
    errno = saved;
    return point("open", there ? CHANGES : GROWS, directory, path);
}

#define OPEN(name)                                                        \
    int name(const char *path, int flags, ...) {                          \
        REAL(int, #name, const char *, int, ...);                         \
        mode_t mode = 0;                                                  \
        if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
        int wrong = opening(AT_FDCWD, path, flags);                       \
        if (wrong != 0) { errno = wrong; return -1; }                     \
        return real(path, flags, mode);                                   \
    }
#define OPENAT(name)                                                      \
    int name(int directory, const char *path, int flags, ...) {           \
        REAL(int, #name, int, const char *, int, ...);                    \
        mode_t mode = 0;                                                  \
        if (flags & (O_CREAT | O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
        int wrong = opening(directory, path, flags);                      \
        if (wrong != 0) { errno = wrong; return -1; }                     \
        return real(directory, path, flags, mode);                        \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

/* -- writing */

ssize_t write(int fd, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    int wrong = point("write", WRITES, fd, NULL);
    if (wrong == HALF) return real(fd, data, size > 1 ? size / 2 : size);
    if (wrong != 0) { errno = wrong; return -1; }
    return real(fd, data, size);
}

#define PWRITE(name, offset_type)                                         \
    ssize_t name(int fd, const void *data, size_t size, offset_type offset) { \
        REAL(ssize_t, #name, int, const void *, size_t, offset_type);     \
        int wrong = point("write", WRITES, fd, NULL);                     \
        if (wrong == HALF) return real(fd, data, size > 1 ? size / 2 : size, offset); \
        if (wrong != 0) { errno = wrong; return -1; }                     \
        return real(fd, data, size, offset);                              \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

/* A vector cannot be cut in a line: it is failed where others are torn. */
ssize_t writev(int fd, const struct iovec *data, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    PASS_OR_FAIL("write", GROWS, fd, NULL);
    return real(fd, data, count);
}
#define PWRITEV(name, offset_type)                                        \
    ssize_t name(int fd, const struct iovec *data, int count, offset_type offset) { \
        REAL(ssize_t, #name, int, const struct iovec *, int, offset_type); \
        PASS_OR_FAIL("write", GROWS, fd, NULL);                           \
        return real(fd, data, count, offset);                             \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    PASS_OR_FAIL("copy", GROWS, out, NULL);
    return real(in, from, out, to, size, flags);
}
#define SENDFILE(name, offset_type)                                       \
    ssize_t name(int out, int in, offset_type *offset, size_t size) {     \
        REAL(ssize_t, #name, int, int, offset_type *, size_t);            \
        PASS_OR_FAIL("copy", GROWS, out, NULL);                           \
        return real(out, in, offset, size);                               \
    }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

/* -- calls on one descriptor */

#define ON_FD(name, kind) int name(int fd) { REAL(int, #name, int); PASS_OR_FAIL(#name, kind, fd, NULL); return real(fd); }
ON_FD(fsync, SYNCS)
ON_FD(fdatasync, SYNCS)
ON_FD(syncfs, SYNCS)

#define ON_FD_WITH(name, shown, kind, type) \
    int name(int fd, type value) { REAL(int, #name, int, type); PASS_OR_FAIL(shown, kind, fd, NULL); return real(fd, value); }
ON_FD_WITH(ftruncate, "truncate", CHANGES, off_t)
ON_FD_WITH(ftruncate64, "truncate", CHANGES, off64_t)
ON_FD_WITH(fchmod, "chmod", CHANGES, mode_t)
int futimens(int fd, const struct timespec times[2]) {
    REAL(int, "futimens", int, const struct timespec *);
    PASS_OR_FAIL("utime", CHANGES, fd, NULL);
    return real(fd, times);
}

int fchown(int fd, uid_t user, gid_t group) {
    REAL(int, "fchown", int, uid_t, gid_t);
    PASS_OR_FAIL("chown", CHANGES, fd, NULL);
    return real(fd, user, group);
}
#define FALLOCATE(name, offset_type)                                      \
    int name(int fd, int mode, offset_type offset, offset_type length) {  \
        REAL(int, #name, int, int, offset_type, offset_type);             \
        PASS_OR_FAIL("fallocate", GROWS, fd, NULL);                       \
        return real(fd, mode, offset, length);                            \
    }
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)
#define POSIX_FALLOCATE(name, offset_type)                                \
    int name(int fd, offset_type offset, offset_type length) {            \
        REAL(int, #name, int, offset_type, offset_type);                  \
        int wrong = point("fallocate", GROWS, fd, NULL);                  \
        return wrong != 0 ? (wrong == HALF ? EIO : wrong) : real(fd, offset, length); \
    }
POSIX_FALLOCATE(posix_fallocate, off_t)
POSIX_FALLOCATE(posix_fallocate64, off64_t)

/* -- calls on names */

#define ON_PATH(name, kind) \
    int name(const char *path) { REAL(int, #name, const char *); PASS_OR_FAIL(#name, kind, AT_FDCWD, path); return real(path); }
ON_PATH(unlink, CHANGES)
ON_PATH(rmdir, CHANGES)
ON_PATH(remove, CHANGES)

#define ON_PATH_WITH(name, shown, kind, type) \
    int name(const char *path, type value) { REAL(int, #name, const char *, type); PASS_OR_FAIL(shown, kind, AT_FDCWD, path); return real(path, value); }
ON_PATH_WITH(mkdir, "mkdir", GROWS, mode_t)
ON_PATH_WITH(chmod, "chmod", CHANGES, mode_t)
ON_PATH_WITH(lchmod, "chmod", CHANGES, mode_t)
ON_PATH_WITH(truncate, "truncate", CHANGES, off_t)
ON_PATH_WITH(truncate64, "truncate", CHANGES, off64_t)
ON_PATH_WITH(utime, "utime", CHANGES, const struct utimbuf *)
#define ON_TWO_PATHS(name, shown, kind, which) \
    int name(const char *first, const char *second) { REAL(int, #name, const char *, const char *); PASS_OR_FAIL(shown, kind, AT_FDCWD, which); return real(first, second); }
ON_TWO_PATHS(rename, "rename", CHANGES, second)
ON_TWO_PATHS(link, "link", GROWS, second)
ON_TWO_PATHS(symlink, "symlink", GROWS, second)

int chown(const char *path, uid_t user, gid_t group) {
    REAL(int, "chown", const char *, uid_t, gid_t);
    PASS_OR_FAIL("chown", CHANGES, AT_FDCWD, path);
    return real(path, user, group);
}
int lchown(const char *path, uid_t user, gid_t group) {
    REAL(int, "lchown", const char *, uid_t, gid_t);
    PASS_OR_FAIL("chown", CHANGES, AT_FDCWD, path);
    return real(path, user, group);
}
int fchownat(int directory, const char *path, uid_t user, gid_t group, int flags) {
    REAL(int, "fchownat", int, const char *, uid_t, gid_t, int);
    PASS_OR_FAIL("chown", CHANGES, directory, path);
    return real(directory, path, user, group, flags);
}
int unlinkat(int directory, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    PASS_OR_FAIL(flags & AT_REMOVEDIR ? "rmdir" : "unlink", CHANGES, directory, path);
    return real(directory, path, flags);
}
int mkdirat(int directory, const char *path, mode_t mode) {
    REAL(int, "mkdirat", int, const char *, mode_t);
    PASS_OR_FAIL("mkdir", GROWS, directory, path);
    return real(directory, path, mode);
}
int fchmodat(int directory, const char *path, mode_t mode, int flags) {
    REAL(int, "fchmodat", int, const char *, mode_t, int);
    PASS_OR_FAIL("chmod", CHANGES, directory, path);
    return real(directory, path, mode, flags);
}
int utimensat(int directory, const char *path, const struct timespec times[2], int flags) {
    REAL(int, "utimensat", int, const char *, const struct timespec *, int);
    PASS_OR_FAIL("utime", CHANGES, directory, path);
    return real(directory, path, times, flags);
}
int renameat(int from, const char *first, int to, const char *second) {
    REAL(int, "renameat", int, const char *, int, const char *);
    PASS_OR_FAIL("rename", CHANGES, to, second);
    return real(from, first, to, second);
}
int renameat2(int from, const char *first, int to, const char *second, unsigned flags) {
    REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
    PASS_OR_FAIL(flags ? "exchange" : "rename", CHANGES, to, second);
    return real(from, first, to, second, flags);
}
int linkat(int from, const char *first, int to, const char *second, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    PASS_OR_FAIL("link", GROWS, to, second);
    return real(from, first, to, second, flags);
}
int symlinkat(const char *target, int directory, const char *path) {
    REAL(int, "symlinkat", const char *, int, const char *);
    PASS_OR_FAIL("symlink", GROWS, directory, path);
    return real(target, directory, path);
}
