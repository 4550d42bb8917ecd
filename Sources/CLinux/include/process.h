#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Protects the memory of the process from core dumps and from other processes of the same user: makes it not
/// dumpable (prctl(2), PR_SET_DUMPABLE) and forbids core files (RLIMIT_CORE). Programs that it starts write
/// no core file either.
void clinux_forbid_dumps(void);

/// Opens /dev/null for each of the descriptors 0, 1 and 2 that is closed, so that no file or socket opened
/// later gets that number. It is opened read-only, so writing to a closed stdout still fails.
void clinux_fill_standard_descriptors(void);

/// A file in memory without a name, open for reading and writing, closed on exec (memfd_create(2)). Below 0 with errno.
int clinux_memory_file(void);

/// Whether `bytes` of address space are still available (`ulimit -v`).
bool clinux_has_address_space(size_t bytes);

/// Raises the number of files that may be open (RLIMIT_NOFILE) to `wanted` if the hard limit permits that.
/// Returns the limit.
size_t clinux_raise_open_files(size_t wanted);

/// Whether a signal is ignored, as SIGHUP is under nohup(1).
bool clinux_is_ignored(int signal);
