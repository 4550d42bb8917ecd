#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Takes single keys from a terminal without showing them, until `clinux_end_keys`; Ctrl-C and Ctrl-Z stay signals. Returns -1
/// with errno set where there is no terminal.
int clinux_begin_keys(int terminal);

/// Makes the terminal as it was before `clinux_begin_keys`.
void clinux_end_keys(void);

/// A signal ends the process from now on, after the terminal is as it was and `text` is on stderr: async-signal-safe, so that it
/// works whatever the rest of the process does. `clinux_set_last_words` sets the text.
void clinux_end_on_signal(int signal);

/// What `clinux_end_on_signal` writes: at most 500 bytes; nothing at first.
void clinux_set_last_words(const char *text);

/// Writes `question` to a terminal and reads a line from it that does not show: without its end, and without a 0 behind it.
/// What was typed before is forgotten. A signal that would end the process (Ctrl-C) does so, after the terminal is as it was.
///
/// Returns how many bytes `answer` has; -1 with errno set: EMSGSIZE when the line has more than `size`.
ssize_t clinux_ask_hidden(int terminal, const char *question, char *answer, size_t size);
