#pragma once

#include <stdint.h>

/// Nanoseconds since boot, including time in suspend (CLOCK_BOOTTIME).
int64_t clinux_clock_boot(void);

/// Nanoseconds since boot, without time in suspend (CLOCK_MONOTONIC).
int64_t clinux_clock_awake(void);

/// Nanoseconds since 1970 according to the wall clock, which can be wrong or be set (CLOCK_REALTIME).
int64_t clinux_clock_wall(void);

/// Whether the kernel reports CLOCK_REALTIME as synchronised with a time server: 1 or 0; -1 if it cannot be
/// queried.
int clinux_clock_is_synchronised(void);
