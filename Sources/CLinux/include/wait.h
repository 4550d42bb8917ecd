#pragma once

#include <stdint.h>

struct pollfd;

/// Waits until a descriptor is ready or the timeout expires: poll(2) with a timeout in nanoseconds; a
/// negative timeout never expires. A signal ends the wait early. Returns the number of ready descriptors; if
/// 0, every `revents` is 0.
int clinux_wait(struct pollfd *descriptors, int count, int64_t nanoseconds);
