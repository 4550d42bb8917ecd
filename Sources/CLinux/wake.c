#include "wake.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int clinux_wake_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void clinux_wake_signal(int descriptor) {
  uint64_t one = 1;
  // The only failure is a counter that is full, and then the descriptor is readable already.
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

void clinux_wake_clear(int descriptor) {
  uint64_t count;
  ssize_t got = read(descriptor, &count, sizeof count);
  (void)got;
}
