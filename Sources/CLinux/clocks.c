// In C, because Swift imports `timespec` differently with the static runtime.
#include "clocks.h"

#include <sys/timex.h>
#include <time.h>

static int64_t nanoseconds(clockid_t clock) {
  struct timespec time = {0};
  // All supported kernels have all three clocks.
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t clinux_clock_boot(void) { return nanoseconds(CLOCK_BOOTTIME); }
int64_t clinux_clock_awake(void) { return nanoseconds(CLOCK_MONOTONIC); }
int64_t clinux_clock_wall(void) { return nanoseconds(CLOCK_REALTIME); }

int clinux_clock_is_synchronised(void) {
  struct timex state = {0};
  int status = adjtimex(&state);
  if (status < 0) return -1;
  return status != TIME_ERROR && !(state.status & STA_UNSYNC);
}
