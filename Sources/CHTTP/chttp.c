#include "CHTTP.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// MARK: The library

#define FUNCTIONS(DO)                                                                                           \
  DO(MHD_start_daemon) DO(MHD_stop_daemon) DO(MHD_run) DO(MHD_get_timeout) DO(MHD_get_daemon_info)              \
  DO(MHD_create_response_from_buffer) DO(MHD_create_response_from_callback) DO(MHD_set_response_options)        \
  DO(MHD_add_response_header) DO(MHD_queue_response) DO(MHD_destroy_response) DO(MHD_lookup_connection_value)   \
  DO(MHD_suspend_connection) DO(MHD_resume_connection) DO(MHD_get_connection_info)

#define DECLARE(name) __typeof__(name) *name;
static struct {
  FUNCTIONS(DECLARE)
} lib;

static bool load(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (!library) return false;
#define FIND(name) \
  if (!(lib.name = (__typeof__(lib.name))dlsym(library, #name))) return false;
  FUNCTIONS(FIND)
  return true;
}

// MARK: Texts that several connections send

typedef struct {
  size_t references, length;
  char bytes[];
} text;

static text *new_text(const void *bytes, size_t length) {
  text *new = malloc(sizeof *new + length);
  if (!new) abort();
  *new = (text){.references = 1, .length = length};
  if (length) memcpy(new->bytes, bytes, length);
  return new;
}

static text *retain(text *shared) {
  shared->references++;
  return shared;
}

static void release(text **shared) {
  if (*shared && --(*shared)->references == 0) free(*shared);
  *shared = NULL;
}

// MARK: Requests

// The most fields of an answer.
enum { most_fields = 16 };

struct chttp_request {
  chttp_server *server;
  struct MHD_Connection *connection;
  char *method, *target;
  char address[INET6_ADDRSTRLEN];
  chttp_request *next, *waiting;
  // Of its body: how much is read, and how much of that has come.
  char *body;
  size_t length, received;
  // Of its answer.
  char *fields[most_fields][2];
  int field_count;
  // Of one that follows: how far it is, and what is being sent.
  unsigned long version, beats;
  text *event;
  size_t sent;
  bool follows, sleeps, is_suspended;
};

struct chttp_server {
  struct MHD_Daemon *daemon;
  int descriptor;
  // All requests; and those that are to be looked at, the oldest first.
  chttp_request *requests, *waiting;
  // Bytes of bodies that are read now, and how many may be.
  size_t bodies, most_bodies;
  unsigned long version, beats;
  text *change, *whole, *beat;
  bool wants_whole;
};

static void *begin(void *server, const char *uri, struct MHD_Connection *connection) {
  chttp_request *request = calloc(1, sizeof *request);
  if (!request) abort();
  request->server = server;
  request->connection = connection;
  request->target = strdup(uri);
  request->next = request->server->requests;
  request->server->requests = request;
  return request;
}

static void drop_body(chttp_request *request) {
  request->server->bodies -= request->length;
  request->length = 0;
  free(request->body);
  request->body = NULL;
}

static void complete(void *cls, struct MHD_Connection *connection, void **context,
                     enum MHD_RequestTerminationCode code) {
  (void)cls, (void)connection, (void)code;
  chttp_request *request = *context;
  if (!request) return;
  for (chttp_request **place = &request->server->requests; *place; place = &(*place)->next)
    if (*place == request) {
      *place = request->next;
      break;
    }
  for (int i = 0; i < request->field_count; i++) free(request->fields[i][0]), free(request->fields[i][1]);
  drop_body(request);
  release(&request->event);
  free(request->method);
  free(request->target);
  free(request);
  *context = NULL;
}

static void suspend(chttp_request *request) {
  request->is_suspended = true;
  lib.MHD_suspend_connection(request->connection);
}

static void resume(chttp_request *request) {
  request->is_suspended = false;
  lib.MHD_resume_connection(request->connection);
}

static void write_address(struct MHD_Connection *connection, char text[INET6_ADDRSTRLEN]) {
  const union MHD_ConnectionInfo *info = lib.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (!info) return;
  const struct sockaddr *address = info->client_addr;
  const void *number = address->sa_family == AF_INET6 ? (const void *)&((const struct sockaddr_in6 *)address)->sin6_addr
                                                      : (const void *)&((const struct sockaddr_in *)address)->sin_addr;
  inet_ntop(address->sa_family, number, text, INET6_ADDRSTRLEN);
}

// Called with the head of a request, again with the head once its body may come, with each part of that, and at its end.
static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **context) {
  (void)url, (void)version;
  chttp_server *server = cls;
  chttp_request *request = *context;
  if (request->method) {
    // Without a body there is nothing left to do.
    if (!request->body || *upload_size > request->length - request->received) return MHD_NO;
    memcpy(request->body + request->received, upload, *upload_size);
    request->received += *upload_size;
    bool is_part = *upload_size > 0 || request->received < request->length;
    *upload_size = 0;
    if (is_part) return MHD_YES;
  } else {
    request->method = strdup(method);
    write_address(connection, request->address);
  }
  // A body that nobody wants is not read: a connection that is answered before its body has come ends.
  suspend(request);
  request->waiting = NULL;
  chttp_request **last = &server->waiting;
  while (*last) last = &(*last)->waiting;
  *last = request;
  return MHD_YES;
}

chttp_request *chttp_next(chttp_server *server) {
  chttp_request *request = server->waiting;
  if (request) server->waiting = request->waiting;
  return request;
}

const char *chttp_method(const chttp_request *request) { return request->method; }
const char *chttp_target(const chttp_request *request) { return request->target; }

const char *chttp_cookie(const chttp_request *request, const char *name) {
  return lib.MHD_lookup_connection_value(request->connection, MHD_COOKIE_KIND, name);
}

const char *chttp_field(const chttp_request *request, const char *name) {
  return lib.MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

const char *chttp_address(const chttp_request *request) { return request->address; }

long long chttp_length(const chttp_request *request) {
  // The library has checked that it is a number.
  const char *length = chttp_field(request, MHD_HTTP_HEADER_CONTENT_LENGTH);
  return !length || chttp_field(request, MHD_HTTP_HEADER_TRANSFER_ENCODING) ? -1 : strtoll(length, NULL, 10);
}

bool chttp_read_body(chttp_request *request, size_t length) {
  chttp_server *server = request->server;
  if (length > server->most_bodies - server->bodies || !(request->body = malloc(length))) return false;
  server->bodies += request->length = length;
  resume(request);
  return true;
}

size_t chttp_received(const chttp_request *request) { return request->received; }

void chttp_take_body(chttp_request *request, void *bytes) {
  memcpy(bytes, request->body, request->length);
  drop_body(request);
}

void chttp_add_field(chttp_request *request, const char *name, const char *value) {
  if (request->field_count == most_fields) abort();
  char **field = request->fields[request->field_count++];
  field[0] = strdup(name);
  field[1] = strdup(value);
}

// Queues the answer, and lets the connection go on.
static void answer(chttp_request *request, unsigned status, struct MHD_Response *response) {
  if (response) {
    // One request for each connection. Events without chunks are those of HTTP/1.0.
    lib.MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    for (int i = 0; i < request->field_count; i++)
      lib.MHD_add_response_header(response, request->fields[i][0], request->fields[i][1]);
    lib.MHD_queue_response(request->connection, status, response);
    lib.MHD_destroy_response(response);
  }
  // Without memory for an answer the library calls the handler again, which ends the connection.
  resume(request);
}

void chttp_answer(chttp_request *request, unsigned status, const void *body, size_t length) {
  answer(request, status, lib.MHD_create_response_from_buffer(length, (void *)body, MHD_RESPMEM_MUST_COPY));
}

// MARK: Events

// What a client gets next; NULL if it has everything, or if the whole state has to be made first.
static text *next_event(chttp_request *request) {
  chttp_server *server = request->server;
  unsigned long version = request->version, beats = request->beats;
  text *event = NULL;
  if (version == server->version) {
    if (beats != server->beats) event = server->beat;
  } else if (version && version + 1 == server->version && server->change) {
    event = server->change;
  } else if (server->whole) {
    event = server->whole;
  } else {
    server->wants_whole = true;
  }
  if (!event) return NULL;
  request->version = server->version;
  request->beats = server->beats;
  return retain(event);
}

static ssize_t read_events(void *cls, uint64_t position, char *buffer, size_t size) {
  (void)position;
  chttp_request *request = cls;
  if (!request->event) {
    request->event = next_event(request);
    request->sent = 0;
  }
  if (!request->event) {
    request->sleeps = true;
    suspend(request);
    return 0;
  }
  size_t left = request->event->length - request->sent, count = left < size ? left : size;
  memcpy(buffer, request->event->bytes + request->sent, count);
  request->sent += count;
  if (count == left) release(&request->event);
  return (ssize_t)count;
}

void chttp_follow(chttp_request *request) {
  request->follows = true;
  answer(request, MHD_HTTP_OK,
         lib.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1 << 14, read_events, request, NULL));
}

static void wake(chttp_server *server) {
  for (chttp_request *request = server->requests; request; request = request->next)
    if (request->sleeps) {
      request->sleeps = false;
      resume(request);
    }
}

void chttp_publish(chttp_server *server, const void *change, size_t length) {
  server->version++;
  release(&server->change);
  release(&server->whole);
  if (length) server->change = new_text(change, length);
  wake(server);
}

void chttp_beat(chttp_server *server, const void *event, size_t length) {
  server->beats++;
  if (!server->beat) server->beat = new_text(event, length);
  wake(server);
}

bool chttp_wants_whole(const chttp_server *server) { return server->wants_whole; }

void chttp_set_whole(chttp_server *server, const void *event, size_t length) {
  server->wants_whole = false;
  release(&server->whole);
  server->whole = new_text(event, length);
  wake(server);
}

// MARK: The server

chttp_server *chttp_start(int socket, chttp_limits limits) {
  static bool is_loaded;
  if (!is_loaded && !(is_loaded = load())) {
    errno = ELIBACC;
    return NULL;
  }
  chttp_server *server = calloc(1, sizeof *server);
  if (!server) return NULL;
  server->most_bodies = limits.bodies;
  server->daemon = lib.MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, server,
      MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_CONNECTION_LIMIT, limits.connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits.connections_of_address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.request, MHD_OPTION_CONNECTION_TIMEOUT, limits.seconds,
      MHD_OPTION_URI_LOG_CALLBACK, begin, server, MHD_OPTION_NOTIFY_COMPLETED, complete, server,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
  if (!server->daemon) {
    int error = errno;
    free(server);
    errno = error;
    return NULL;
  }
  server->descriptor = lib.MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  return server;
}

void chttp_stop(chttp_server *server) {
  // A daemon must not be stopped while a connection is suspended.
  for (chttp_request *request = server->requests; request; request = request->next)
    if (request->is_suspended) resume(request);
  lib.MHD_stop_daemon(server->daemon);
  release(&server->change);
  release(&server->whole);
  release(&server->beat);
  free(server);
}

int chttp_descriptor(const chttp_server *server) { return server->descriptor; }

bool chttp_run(chttp_server *server) {
  MHD_UNSIGNED_LONG_LONG timeout;
  lib.MHD_run(server->daemon);
  return lib.MHD_get_timeout(server->daemon, &timeout) == MHD_YES && timeout == 0;
}

unsigned chttp_count(const chttp_server *server) {
  return lib.MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}
