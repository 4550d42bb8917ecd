#include "wake.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int clinux_wake_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void clinux_wake_signal(int descriptor) {
  uint64_t one = 1;
  // write(2) fails only if the counter is full, and the descriptor is readable then.
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

void clinux_wake_clear(int descriptor) {
  uint64_t count;
  ssize_t got = read(descriptor, &count, sizeof count);
  (void)got;
}
