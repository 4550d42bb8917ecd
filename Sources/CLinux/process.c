#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void clinux_forbid_dumps(void) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

void clinux_fill_standard_descriptors(void) {
  for (int number = 0; number <= 2; number++) {
    // open(2) returns the lowest free descriptor, which is this one.
    if (fcntl(number, F_GETFD) < 0) open("/dev/null", O_RDONLY);
  }
}

bool clinux_has_address_space(size_t bytes) {
  void *place = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, bytes);
  return true;
}

int clinux_memory_file(void) {
  const unsigned int close_on_exec = 1;  // MFD_CLOEXEC, which glibc declares only for _GNU_SOURCE.
  return (int)syscall(SYS_memfd_create, "input", close_on_exec);
}

size_t clinux_raise_open_files(size_t wanted) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  return limit.rlim_cur < wanted ? (size_t)limit.rlim_cur : wanted;
}

bool clinux_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
