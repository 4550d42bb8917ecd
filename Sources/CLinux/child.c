#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The C library declares them only with _GNU_SOURCE, so they are system calls here.
int clinux_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

static void close_on_exec_from(int first) {
  const unsigned int cloexec = 1u << 2;  // CLOSE_RANGE_CLOEXEC, Linux 5.11
  if (syscall(SYS_close_range, first, UINT_MAX, cloexec) == 0) return;
  long last = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < last; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// The program and the descriptors of a child.
struct plan {
  const char *program;
  char *const *arguments;
  int input;  // Below 0 for /dev/null.
  int output;
  int errors;
  bool has_own_session;
  bool has_own_group;
  int terminal;  // Whose foreground it takes; below 0 for none.
  int death;  // The signal that it gets when the thread ends that started it; 0 for none.
  rlim_t longest_file;  // In bytes; 0 for no limit.
};

// Runs in the child, where another thread's lock may be held for ever. Only async-signal-safe functions may
// be called.
static void become(const struct plan *plan, pid_t parent) {
  int output = plan->output, errors = plan->errors;
  if (plan->has_own_session) setsid();
  if (plan->has_own_group) setpgid(0, 0);
  // All signals are blocked here, SIGTTOU too.
  if (plan->terminal >= 0) tcsetpgrp(plan->terminal, getpid());
  if (prctl(PR_SET_PDEATHSIG, plan->death) != 0) return;
  if (getppid() != parent) _exit(127);  // It ended before the line above took effect.

  // `output` or `errors` may be 0, 1 or 2 if this process was started without standard descriptors.
  int in = plan->input < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC)
                           : fcntl(plan->input, F_DUPFD_CLOEXEC, 3);
  output = fcntl(output, F_DUPFD_CLOEXEC, 3);
  errors = fcntl(errors, F_DUPFD_CLOEXEC, 3);
  if (in < 0 || output < 0 || errors < 0) return;
  if (dup2(in, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) return;
  if (in == 0) fcntl(0, F_SETFD, 0);
  close_on_exec_from(3);

  if (plan->longest_file > 0) {
    struct rlimit limit = {plan->longest_file, plan->longest_file};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  }

  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(plan->program, plan->arguments);
}

static pid_t start(const struct plan *plan) {
  int report[2];
  if (clinux_pipe(report) != 0) return -1;
  // If 0, 1 or 2 is free, the pipe could get that number and be overwritten in the child.
  int say = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
  close(report[1]);

  // No signal handler of this process may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = say < 0 ? -1 : fork();
  if (child == 0) {
    become(plan, parent);
    int reason = errno;
    ssize_t written = write(say, &reason, sizeof reason);
    (void)written;
    _exit(127);
  }
  int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (say >= 0) close(say);

  if (child > 0) {
    // Closed without data if the program was executed.
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

pid_t clinux_child_start(const char *program, char *const arguments[], int output, int errors) {
  struct plan plan = {program, arguments, -1, output, errors, true, false, -1, SIGKILL, 0};
  return start(&plan);
}

// Starts the program of a plan, which with its arguments is in `words`, each ended by a 0.
static pid_t start_words(const char *words, size_t length, struct plan *plan) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += words[i] == 0;
  char **arguments = calloc(count + 1, sizeof *arguments);
  if (arguments == NULL) return -1;
  size_t next = 0;
  for (size_t i = 0; i < count; i++) {
    arguments[i] = (char *)words + next;
    next += strlen(words + next) + 1;
  }
  plan->program = words;
  plan->arguments = arguments;
  pid_t child = start(plan);
  int reason = errno;
  free(arguments);
  errno = reason;
  return child;
}

pid_t clinux_tool_start(const char *words, size_t length, int input, int output, int errors,
                        int terminal) {
  if (terminal >= 0 && tcgetpgrp(terminal) != getpgrp()) terminal = -1;
  struct plan plan = {NULL, NULL, input, output, errors, false, true, terminal, SIGTERM, 0};
  return start_words(words, length, &plan);
}

pid_t clinux_bridge_start(const char *words, size_t length, int stream, int errors,
                          size_t longest) {
  struct plan plan = {NULL, NULL, stream, stream, errors, true, false, -1, 0, longest};
  return start_words(words, length, &plan);
}

void clinux_take_foreground(int terminal) {
  // Otherwise a process in the background that does this is stopped.
  sigset_t ttou, before;
  sigemptyset(&ttou);
  sigaddset(&ttou, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &ttou, &before);
  tcsetpgrp(terminal, getpgrp());
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool clinux_child_has_ended(pid_t child) {
  siginfo_t info;
  info.si_pid = 0;
  return waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid == child;
}

void clinux_child_await(pid_t child) {
  siginfo_t info;
  while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
}
