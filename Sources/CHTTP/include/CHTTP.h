#pragma once

#include <stdbool.h>
#include <stddef.h>

// libmicrohttpd for a server whose requests are answered between two runs of it, so that it calls nothing outside this file.
// Everything of one server is called by one thread.

typedef struct chttp_server chttp_server;
/// A request that waits for its answer.
typedef struct chttp_request chttp_request;

/// What clients may use up.
typedef struct {
  /// Connections in all, and from one address.
  unsigned connections, connections_of_address;
  /// Bytes of a request's head, and of the bodies of all requests that are read at the same time.
  size_t request, bodies;
  /// Seconds without a byte in either direction after which a connection ends.
  unsigned seconds;
} chttp_limits;

/// Serves on a socket that listens, which it then owns. NULL with errno set: ELIBACC if libmicrohttpd is not installed. The
/// library is loaded here, because it would make the start of every command slower.
chttp_server *chttp_start(int socket, chttp_limits limits);

/// Ends all connections, and the server.
void chttp_stop(chttp_server *server);

/// The descriptor that is readable when there is something to do.
int chttp_descriptor(const chttp_server *server);

/// Receives and sends what is possible. Returns whether there is more to do at once.
bool chttp_run(chttp_server *server);

/// The number of open connections.
unsigned chttp_count(const chttp_server *server);

/// The next request whose head or whose body has come, or NULL. Its texts last until it is answered.
chttp_request *chttp_next(chttp_server *server);
const char *chttp_method(const chttp_request *request);
/// The path as sent, with its query.
const char *chttp_target(const chttp_request *request);
/// The value of a cookie, or NULL.
const char *chttp_cookie(const chttp_request *request, const char *name);

/// The value of a header field, or NULL.
const char *chttp_field(const chttp_request *request, const char *name);
/// The client's address in numbers.
const char *chttp_address(const chttp_request *request);

/// The length of the body by the head; -1 if it does not say it.
long long chttp_length(const chttp_request *request);
/// Reads a body of so many bytes, at least one; `chttp_next` returns the request again when it has come. Returns false if
/// the server already reads too many.
bool chttp_read_body(chttp_request *request, size_t length);
/// The number of bytes that were read; and takes them, so that they no longer count.
size_t chttp_received(const chttp_request *request);
void chttp_take_body(chttp_request *request, void *bytes);

/// Adds a field to the answer of a request.
void chttp_add_field(chttp_request *request, const char *name, const char *value);

/// Answers a request with a document, or with the events of the server: the state, and then each change.
void chttp_answer(chttp_request *request, unsigned status, const void *body, size_t length);
void chttp_follow(chttp_request *request);

/// A new state for all that follow. Without a change (a length of 0) they get the whole state.
void chttp_publish(chttp_server *server, const void *change, size_t length);
/// An event that says that nothing is new, for those that have everything.
void chttp_beat(chttp_server *server, const void *event, size_t length);
/// Whether a client needs the whole state, which was not set since the last `chttp_publish`; and sets it.
bool chttp_wants_whole(const chttp_server *server);
void chttp_set_whole(chttp_server *server, const void *event, size_t length);
