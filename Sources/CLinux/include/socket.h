#pragma once

#include <stdbool.h>

/// Opens a socket that listens on an IPv4 or IPv6 address in numbers and a port (0: a free one): non-blocking, closed on
/// exec. Each of its connections holds at most about `buffer` bytes that wait to be sent, and ends when the other side
/// acknowledges nothing for `patience` milliseconds. Returns -1 with errno set, EINVAL if it is no such address.
int clinux_listen(const char *address, int port, int buffer, unsigned patience);

/// The port on which a socket listens, or -1 with errno set.
int clinux_port(int socket);

/// Whether a text is an IPv4 or IPv6 address in numbers.
bool clinux_is_address(const char *text);

/// Opens a socket that listens on this computer at an abstract address (unix(7)), which the kernel chooses, and writes that
/// without its first 0. Closed on exec. Returns -1 with errno set.
int clinux_listen_here(char address[6]);

/// Waits for a connection that this process has made; those of others are closed. Closed on exec. Returns -1 with errno set.
int clinux_accept_own(int listener);
