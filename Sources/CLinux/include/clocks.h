#pragma once

#include <stdint.h>

/// Nanoseconds since the start of the machine, sleep included (CLOCK_BOOTTIME).
int64_t clinux_clock_boot(void);

/// The same without the times in which the machine slept (CLOCK_MONOTONIC).
int64_t clinux_clock_awake(void);

/// Nanoseconds since 1970, as a person or a time server has set it (CLOCK_REALTIME).
int64_t clinux_clock_wall(void);

/// Whether a time server keeps CLOCK_REALTIME right, by the kernel's word: 1 or 0; -1 when it cannot be asked.
int clinux_clock_is_synchronised(void);
