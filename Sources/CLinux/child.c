#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Both need _GNU_SOURCE from the C library; the kernel has them without.
int clinux_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

static void close_on_exec_from(int first) {
  const unsigned int cloexec = 1u << 2;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (syscall(SYS_close_range, first, UINT_MAX, cloexec) == 0) return;
  long last = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < last; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// Runs in the child, where other threads' locks may be held for ever: async-signal-safe calls only.
static void become(const char *program, char *const arguments[], int output, int errors, pid_t parent) {
  setsid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
  if (getppid() != parent) _exit(127);  // It ended before the line above took effect.

  // `output` or `errors` may itself be 0, 1 or 2 when we were started without those.
  int in = open("/dev/null", O_RDWR | O_CLOEXEC);
  output = fcntl(output, F_DUPFD_CLOEXEC, 3);
  errors = fcntl(errors, F_DUPFD_CLOEXEC, 3);
  if (in < 0 || output < 0 || errors < 0) return;
  if (dup2(in, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) return;
  if (in == 0) fcntl(0, F_SETFD, 0);
  close_on_exec_from(3);

  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(program, arguments);
}

pid_t clinux_child_start(const char *program, char *const arguments[], int output, int errors) {
  int report[2];
  if (clinux_pipe(report) != 0) return -1;
  // With 0, 1 or 2 free the pipe could land there, and be overwritten in the child.
  int say = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
  close(report[1]);

  // No handler of ours may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = say < 0 ? -1 : fork();
  if (child == 0) {
    become(program, arguments, output, errors, parent);
    int reason = errno;
    ssize_t written = write(say, &reason, sizeof reason);
    (void)written;
    _exit(127);
  }
  int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (say >= 0) close(say);

  if (child > 0) {
    // Closed without a word when the program was executed.
    ssize_t got;
    do {
      got = read(report[0], &reason, sizeof reason);
    } while (got < 0 && errno == EINTR);
    if (got == sizeof reason) {
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
      child = -1;
    }
  }
  close(report[0]);
  if (child < 0) errno = reason;
  return child;
}

void clinux_child_await(pid_t child) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
}
