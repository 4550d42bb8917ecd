#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Writes `question` to a terminal and reads a line from it that does not show: without its end, and without a 0 behind it.
/// What was typed before is forgotten. A signal that would end the process (Ctrl-C) does so, after the terminal is as it was.
///
/// Returns how many bytes `answer` has; -1 with errno set: EMSGSIZE when the line has more than `size`.
ssize_t clinux_ask_hidden(int terminal, const char *question, char *answer, size_t size);
