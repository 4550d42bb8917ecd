#pragma once

#include <stdint.h>

struct pollfd;

/// Waits until one of the descriptors is ready or the time is over: poll(2) with a timeout in nanoseconds, below 0 for ever.
/// A signal ends it early. Returns how many are ready; with none, every `revents` is 0.
int clinux_wait(struct pollfd *descriptors, int count, int64_t nanoseconds);
