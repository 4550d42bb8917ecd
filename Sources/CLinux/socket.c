#define _GNU_SOURCE  // struct ucred, accept4
#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// The connections that the kernel holds until they are accepted.
enum { backlog = 64 };

static struct addrinfo *numeric(const char *address, int port) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found = NULL;
  char service[8];
  snprintf(service, sizeof service, "%d", port);
  return getaddrinfo(address, service, &hints, &found) ? NULL : found;
}

int clinux_listen(const char *address, int port, int buffer, unsigned patience) {
  struct addrinfo *place = numeric(address, port);
  if (!place) {
    errno = EINVAL;
    return -1;
  }
  int descriptor = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  if (descriptor >= 0) {
    // A port of an earlier server can be used again at once. Its connections inherit the other two (tcp(7), socket(7)).
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience, sizeof patience);
    if (bind(descriptor, place->ai_addr, place->ai_addrlen) < 0 || listen(descriptor, backlog) < 0) {
      int error = errno;
      close(descriptor);
      errno = error;
      descriptor = -1;
    }
  }
  int error = errno;
  freeaddrinfo(place);
  errno = error;
  return descriptor;
}

int clinux_port(int descriptor) {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } place;
  socklen_t size = sizeof place;
  if (getsockname(descriptor, &place.any, &size) < 0) return -1;
  return ntohs(place.any.sa_family == AF_INET6 ? place.v6.sin6_port : place.v4.sin_port);
}

bool clinux_is_address(const char *text) {
  struct addrinfo *place = numeric(text, 0);
  if (!place) return false;
  freeaddrinfo(place);
  return true;
}

int clinux_listen_here(char address[6]) {
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  socklen_t size = sizeof place.sun_family;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  if (bind(descriptor, (struct sockaddr *)&place, size) == 0 && listen(descriptor, backlog) == 0) {
    size = sizeof place;
    // A 0 and five digits.
    if (getsockname(descriptor, (struct sockaddr *)&place, &size) == 0 && size == sizeof place.sun_family + 6) {
      memcpy(address, place.sun_path + 1, 5);
      address[5] = 0;
      return descriptor;
    }
  }
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int clinux_accept_own(int listener) {
  while (true) {
    int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (descriptor < 0 && errno != EINTR && errno != ECONNABORTED) return -1;
    if (descriptor < 0) continue;
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid()) return descriptor;
    close(descriptor);
  }
}
