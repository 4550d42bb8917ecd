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
