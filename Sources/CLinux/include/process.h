#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Keeps what the process holds in memory out of core dumps and from other processes of the same user: not dumpable
/// (prctl(2), PR_SET_DUMPABLE), no core file (RLIMIT_CORE). Programs that it starts write no core file either.
void clinux_forbid_dumps(void);

/// Opens /dev/null in the place of each of the descriptors 0, 1 and 2 that is closed, lest a file or socket that is opened
/// later gets its number. It can only be read: writing to a closed stdout stays an error.
void clinux_fill_standard_descriptors(void);

/// Whether so many bytes of address space can still be had (`ulimit -v`).
bool clinux_has_address_space(size_t bytes);

/// Whether a signal is ignored, as nohup(1) has it for SIGHUP.
bool clinux_is_ignored(int signal);
