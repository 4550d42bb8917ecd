#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Switches a terminal to single keys without echo, until `clinux_end_keys`. Ctrl-C and Ctrl-Z still send
/// signals. Returns 0, or -1 with errno set if `terminal` is no terminal.
int clinux_begin_keys(int terminal);

/// Restores the terminal's state from before `clinux_begin_keys`.
void clinux_end_keys(void);

/// Makes a signal end the process from now on. Before that, the handler restores the terminal and writes the
/// text of `clinux_set_last_words` to stderr. It is async-signal-safe, so it works even if the rest of the
/// process hangs.
void clinux_end_on_signal(int signal);

/// Sets the text that `clinux_end_on_signal` writes, at most 500 bytes. The initial text is empty.
void clinux_set_last_words(const char *text);

/// Writes `question` to a terminal and reads a line without echo into `answer`, without the line end and
/// without a terminating 0. Earlier input is discarded. A signal that ends the process (Ctrl-C) does so after
/// the terminal is restored.
///
/// Returns the number of bytes in `answer`; -1 with errno set, EMSGSIZE if the line has more than `size`
/// bytes.
ssize_t clinux_ask_hidden(int terminal, const char *question, char *answer, size_t size);
