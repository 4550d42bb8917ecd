#define _GNU_SOURCE
#include "KillSwitch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The wrappers call the kernel directly, so they need no `dlsym`.

enum point { BEFORE_WRITE, AMID_WRITE, AFTER_WRITE, AFTER_SYNC };
static const char *const points[] = {"before_write", "amid_write", "after_write", "after_sync"};

static enum { NEVER, AT_LINE, AT_CALL } when = NEVER;
static char wanted_kind[64];
static long wanted_number;
static enum point wanted_point;

// One thread at a time writes the journal; any thread makes other calls.
static long lines_seen;
static bool awaits_sync;
static atomic_long calls_seen;

static void refuse(const char *order) {
  fprintf(stderr, "KILL_SWITCH: not understood: %s\n", order);
  _exit(70);
}

__attribute__((constructor)) static void take_orders(void) {
  const char *order = getenv("KILL_SWITCH");
  if (order == NULL) return;
  char point[16];
  if (sscanf(order, "line %63s %ld %15s", wanted_kind, &wanted_number, point) == 3) {
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
      if (strcmp(point, points[i]) != 0) continue;
      wanted_point = (enum point)i;
      when = AT_LINE;
    }
  } else if (sscanf(order, "call %ld", &wanted_number) == 1) {
    when = AT_CALL;
  }
  if (when == NEVER || wanted_number < 1) refuse(order);
}

// The other threads of the program continue for this time before the process dies in its write, so that work that
// wrongly does not wait for the record takes place.
static const struct timespec stall = {.tv_nsec = 150 * 1000 * 1000};

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static bool is_journal(int fd) {
  static const char name[] = "/journal.jsonl";
  const size_t length = sizeof name - 1;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t count = readlink(link, path, sizeof path);
  return count >= (ssize_t)length && memcmp(path + count - length, name, length) == 0;
}

static void count_call(void) {
  if (when == AT_CALL && atomic_fetch_add(&calls_seen, 1) + 1 == wanted_number) die();
}

// Counts a call on an open file or directory. Sockets, pipes, stdout and stderr do not count.
static void count_call_on(int fd) {
  if (when != AT_CALL || fd <= STDERR_FILENO) return;
  int saved = errno;
  struct stat status;
  bool counts = fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) && !is_journal(fd);
  errno = saved;
  if (counts) count_call();
}

static void write_whole(int fd, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = syscall(SYS_write, fd, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      perror("KILL_SWITCH: write");
      _exit(70);
    }
    bytes += written;
    count -= (size_t)written;
  }
}

// The last `kind` of a line is the line's own: only numbers and a hash follow it.
static bool is_wanted(const char *line, size_t length) {
  static const char key[] = "\"kind\":\"";
  const size_t key_length = sizeof key - 1, kind_length = strlen(wanted_kind);
  const char *last = NULL, *found = line;
  while ((found = memmem(found, length - (size_t)(found - line), key, key_length)) != NULL) {
    found += key_length;
    last = found;
  }
  return last != NULL && last + kind_length < line + length && memcmp(last, wanted_kind, kind_length) == 0
    && last[kind_length] == '"';
}

static void watch_lines(int fd, const char *bytes, size_t count) {
  const char *line = bytes, *end = bytes + count;
  while (line < end) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const char *next = newline != NULL ? newline + 1 : end;
    size_t length = (size_t)(next - line);
    if (is_wanted(line, length) && ++lines_seen == wanted_number) {
      size_t until = (size_t)(line - bytes);
      switch (wanted_point) {
      case BEFORE_WRITE: break;
      case AMID_WRITE: until += length / 2; break;
      case AFTER_WRITE: until += length; break;
      case AFTER_SYNC: awaits_sync = true; return;
      }
      write_whole(fd, bytes, until);
      nanosleep(&stall, NULL);
      die();
    }
    line = next;
  }
}

static void watch_sync(int fd, int result) {
  if (awaits_sync && result == 0 && is_journal(fd)) die();
}

ssize_t write(int fd, const void *bytes, size_t count) {
  count_call_on(fd);
  if (when == AT_LINE && is_journal(fd)) watch_lines(fd, bytes, count);
  return syscall(SYS_write, fd, bytes, count);
}

int fdatasync(int fd) {
  count_call_on(fd);
  int result = (int)syscall(SYS_fdatasync, fd);
  watch_sync(fd, result);
  return result;
}

int fsync(int fd) {
  count_call_on(fd);
  int result = (int)syscall(SYS_fsync, fd);
  watch_sync(fd, result);
  return result;
}

int ftruncate(int fd, off_t length) {
  count_call_on(fd);
  return (int)syscall(SYS_ftruncate, fd, length);
}

int mkdir(const char *path, mode_t mode) {
  count_call();
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int mkdirat(int directory, const char *path, mode_t mode) {
  count_call();
  return (int)syscall(SYS_mkdirat, directory, path, mode);
}

int renameat(int old_directory, const char *old_path, int new_directory, const char *new_path) {
  count_call();
  return (int)syscall(SYS_renameat2, old_directory, old_path, new_directory, new_path, 0);
}

int symlinkat(const char *target, int directory, const char *path) {
  count_call();
  return (int)syscall(SYS_symlinkat, target, directory, path);
}

int linkat(int old_directory, const char *old_path, int new_directory, const char *new_path, int flags) {
  count_call();
  return (int)syscall(SYS_linkat, old_directory, old_path, new_directory, new_path, flags);
}

int unlinkat(int directory, const char *path, int flags) {
  count_call();
  return (int)syscall(SYS_unlinkat, directory, path, flags);
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
  if (flags & O_CREAT) count_call();
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

// The mode, if there is one, is the first variadic argument.
#define OPEN(directory)                     \
  mode_t mode = 0;                        \
  if (flags & (O_CREAT | __O_TMPFILE)) {  \
    va_list rest;                       \
    va_start(rest, flags);              \
    mode = va_arg(rest, mode_t);        \
    va_end(rest);                       \
  }                                       \
  return open_at(directory, path, flags, mode)

int open(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
int open64(const char *path, int flags, ...) { OPEN(AT_FDCWD); }
int openat(int directory, const char *path, int flags, ...) { OPEN(directory); }
int openat64(int directory, const char *path, int flags, ...) { OPEN(directory); }
