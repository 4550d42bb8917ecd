#pragma once

#include <stddef.h>
#include <sys/types.h>

/// Starts `program` (looked up along PATH when it has no slash) as a child that
/// - is in a session of its own, so that Ctrl-C at the terminal does not reach it,
/// - is killed by the kernel when the calling *thread* ends, and so at the latest with this process. Call it on
///   a thread that outlives the child,
/// - has /dev/null for stdin, `output` for stdout, `errors` for stderr, and no other descriptor of ours.
///
/// Returns its process id, or -1 with errno set; a program that cannot be executed counts as not started.
/// `arguments` ends with a null pointer and begins with the program's name.
pid_t clinux_child_start(const char *program, char *const arguments[], int output, int errors);

/// Starts a program (looked up along PATH when it has no slash) that may ask the person at the terminal: it stays in our
/// session and process group, so that Ctrl-C reaches it, too, and has our stderr. It has `input` for stdin, /dev/null where
/// that is below 0, `output` for stdout, and no other descriptor of ours; SIGTERM ends it when the calling thread ends.
///
/// `words` are the program and its arguments, each ended by a 0, `length` bytes in all. Returns as `clinux_child_start`.
pid_t clinux_tool_start(const char *words, size_t length, int input, int output);

/// A pipe whose ends are closed on exec: `ends[0]` is read, `ends[1]` written. Returns -1 with errno set.
int clinux_pipe(int ends[2]);

/// Waits until the child has ended, and leaves it unreaped: its process id still belongs to it.
void clinux_child_await(pid_t child);
