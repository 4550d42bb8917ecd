#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// Starts `program` (searched in PATH if it has no slash) as a child process that
/// - has its own session, so that Ctrl-C at the terminal does not reach it,
/// - is killed by the kernel when the calling *thread* ends, at the latest with this process (so call it on a
///   thread that outlives the child),
/// - has /dev/null as stdin, `output` as stdout, `errors` as stderr, and no other descriptor of this process.
///
/// Returns the process id, or -1 with errno set, also if the program cannot be executed.
/// `arguments` begins with the program's name and ends with a null pointer.
pid_t clinux_child_start(const char *program, char *const arguments[], int output, int errors);

/// Starts a program (looked up along PATH when it has no slash) in our session and in a process group of its own, so that
/// Ctrl-C at the terminal does not reach it and all that it starts can be ended with it. It has `input` for stdin (/dev/null
/// below 0), `output` for stdout, `errors` for stderr, and no other descriptor of ours. SIGTERM ends it when the calling
/// thread ends.
///
/// If `terminal` is our terminal and we are in its foreground, the program takes our place there, so that it can ask a
/// person; `clinux_take_foreground` takes it back. Below 0 it stays in the background.
///
/// `words` are the program and its arguments, each ended by a 0, `length` bytes in all. Returns as `clinux_child_start`.
pid_t clinux_tool_start(const char *words, size_t length, int input, int output, int errors, int terminal);

/// Starts a program in a session of its own, so that Ctrl-C at the terminal does not reach it. It has `stream` for stdin and
/// stdout, `errors` for stderr, and no other descriptor of ours; it is ended when it makes a file longer than `longest` bytes.
/// It may outlive the calling thread. `words` and the result are as for `clinux_tool_start`.
pid_t clinux_bridge_start(const char *words, size_t length, int stream, int errors, size_t longest);

/// Brings our process group to the foreground of a terminal.
void clinux_take_foreground(int terminal);

/// Whether the child has ended. It is not reaped, so its process id and group stay its own.
bool clinux_child_has_ended(pid_t child);

/// Creates a pipe whose ends are closed on exec: `ends[0]` to read, `ends[1]` to write. Returns 0, or -1 with
/// errno set.
int clinux_pipe(int ends[2]);

/// Waits until the child has ended and does not reap it, so that its process id is not reused.
void clinux_child_await(pid_t child);
