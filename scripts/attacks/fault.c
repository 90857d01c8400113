// Preloaded library (LD_PRELOAD) that makes the Nth change below a folder fail, or kills the process at that change.
//
//   FAULT_FOLDER  the folder
//   FAULT_AT      number of the change, counted from 1
//   FAULT_HOW     full: no space from that change on; once: no space for that change only; kill: kill the process
//                 before that change
//   FAULT_LOG     a file outside the folder, to which the change is written when it is reached
//
// A change is a call that may need space: creating a file or a folder, writing, growing, flushing, renaming, linking.
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int count;

static int below(const char *path) {
    const char *folder = getenv("FAULT_FOLDER");
    return folder && !strncmp(path, folder, strlen(folder));
}

static void log_change(const char *what, const char *path) {
    const char *file = getenv("FAULT_LOG");
    char line[PATH_MAX + 100];
    int length = snprintf(line, sizeof line, "%s %s\n", what, path);
    int to = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (to >= 0) {
        syscall(SYS_write, to, line, length);
        syscall(SYS_close, to);
    }
}

// Returns whether the next change fails.
static int fails(const char *what, const char *path, int needs_space) {
    char full[PATH_MAX + 1];
    if (path[0] != '/') {
        char here[PATH_MAX / 2];
        if (!getcwd(here, sizeof here)) return 0;
        snprintf(full, sizeof full, "%s/%s", here, path);
        path = full;
    }
    if (!getenv("FAULT_AT") || !below(path)) return 0;
    int at = atoi(getenv("FAULT_AT")), now = atomic_fetch_add(&count, 1) + 1;
    const char *how = getenv("FAULT_HOW");
    if (now == at) {
        log_change(what, path);
        if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
    }
    if (now == at || (now > at && needs_space && !strcmp(how, "full"))) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

static int fails_fd(const char *what, int fd, int needs_space) {
    char link[64], path[PATH_MAX];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    errno = kept;
    if (length <= 0) return 0;
    path[length] = 0;
    return fails(what, path, needs_space);
}

static int makes(const char *path, int flags) {
    struct stat data;
    int kept = errno, there = lstat(path, &data) == 0;
    errno = kept;
    return (flags & O_CREAT) && !there;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list rest; va_start(rest, flags); mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0; va_end(rest); \
        if (makes(path, flags) && fails("create", path, 1)) return -1; \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...); \
        va_list rest; va_start(rest, flags); mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0; va_end(rest); \
        if (folder == AT_FDCWD && makes(path, flags) && fails("create", path, 1)) return -1; \
        return real(folder, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    struct stat data;
    if (stat(path, &data) && fails("mkdir", path, 1)) return -1;
    return real(path, mode);
}

ssize_t write(int fd, const void *text, size_t length) {
    REAL(ssize_t, write, int, const void *, size_t);
    return fails_fd("write", fd, 1) ? -1 : real(fd, text, length);
}

ssize_t writev(int fd, const struct iovec *parts, int length) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    return fails_fd("writev", fd, 1) ? -1 : real(fd, parts, length);
}

#define PWRITE(name, offset) \
    ssize_t name(int fd, const void *text, size_t length, offset at) { \
        REAL(ssize_t, name, int, const void *, size_t, offset); \
        return fails_fd("pwrite", fd, 1) ? -1 : real(fd, text, length, at); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset) \
    int name(int fd, offset length) { \
        REAL(int, name, int, offset); \
        struct stat data; \
        if (!fstat(fd, &data) && length > data.st_size && fails_fd("grow", fd, 1)) return -1; \
        return real(fd, length); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int fsync(int fd) {
    REAL(int, fsync, int);
    return fails_fd("fsync", fd, 0) ? -1 : real(fd);
}

int fdatasync(int fd) {
    REAL(int, fdatasync, int);
    return fails_fd("fdatasync", fd, 0) ? -1 : real(fd);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, const char *, const char *);
    return fails("rename", to, 0) ? -1 : real(from, to);
}

int link(const char *from, const char *to) {
    REAL(int, link, const char *, const char *);
    return fails("link", to, 1) ? -1 : real(from, to);
}

int linkat(int one, const char *from, int two, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    return fails("link", to, 1) ? -1 : real(one, from, two, to, flags);
}
