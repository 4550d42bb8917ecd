#include "wait.h"

#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clinux_wait(struct pollfd *descriptors, int count, int64_t nanoseconds) {
  // The C library declares ppoll only with _GNU_SOURCE, so it is a system call here.
  struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  long ready = syscall(SYS_ppoll, descriptors, (unsigned long)count, nanoseconds < 0 ? NULL : &time, NULL, 0);
  if (ready > 0) return (int)ready;
  for (int i = 0; i < count; i++) descriptors[i].revents = 0;
  return 0;
}
