/* Carries one adapter between the host and the kernel.
 *
 *   pump PORT     PORT: a virtio serial port with a virtual controller of the host at the other end
 *
 * While the host has the port open, there is an adapter: /dev/vhci is open, and each HCI packet is passed on as one
 * write, as vhci requires (H4's type byte first). When the host closes the port, the adapter is unplugged; when it
 * opens the port again, the adapter is plugged in again. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { H4_COMMAND = 1, H4_ACL = 2, H4_SCO = 3, H4_EVENT = 4, H4_ISO = 5, H4_VENDOR = 0xFF };

static unsigned char inbox[1 << 16];
static size_t held;

static void die(const char *what) {
    fprintf(stderr, "pump: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* The length of the packet at the start of the inbox; 0 if that needs more bytes; -1 if it is no packet. */
static long packet_length(void) {
    if (held < 1) return 0;
    switch (inbox[0]) {
    case H4_EVENT: return held < 3 ? 0 : 3 + inbox[2];
    case H4_SCO: return held < 4 ? 0 : 4 + inbox[3];
    case H4_ACL: return held < 5 ? 0 : 5 + (inbox[3] | inbox[4] << 8);
    case H4_ISO: return held < 5 ? 0 : 5 + (inbox[3] | (inbox[4] & 0x3F) << 8);
    default: return -1;
    }
}

static void write_all(int fd, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t n = write(fd, bytes, count);
        if (n < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) {
                struct pollfd room = {fd, POLLOUT, 0};
                poll(&room, 1, 1000);
                if (room.revents & POLLHUP) return; /* Unplugged meanwhile: no process receives it. */
                continue;
            }
            return;
        }
        bytes += n;
        count -= (size_t)n;
    }
}

static int plug_in(void) {
    unsigned char create[] = {H4_VENDOR, 0x00};
    int vhci = open("/dev/vhci", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (vhci < 0) die("/dev/vhci");
    if (write(vhci, create, sizeof create) != sizeof create) die("cannot create an adapter");
    held = 0;
    return vhci;
}

/* Passes the host's bytes to the kernel, packet by packet. False if they are not HCI or the kernel accepts no more. */
static int deliver(int vhci) {
    size_t at = 0;
    int good = 1;
    while (good && held > 0) {
        long length = packet_length();
        if (length < 0) good = 0;
        if (length <= 0 || (size_t)length > held) break;
        /* ENXIO: the adapter is down (hci_recv_frame), for example while bluetoothd restarts. Its events are dropped then. */
        if (write(vhci, inbox, (size_t)length) < 0 && errno != EINTR && errno != EAGAIN && errno != ENXIO) good = 0;
        at = (size_t)length;
        memmove(inbox, inbox + at, held - at);
        held -= at;
    }
    return good;
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    int port = open(argv[1], O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port < 0) die(argv[1]);
    int vhci = -1;

    for (;;) {
        struct pollfd ends[2] = {{port, POLLIN, 0}, {vhci, POLLIN, 0}};
        /* The host's opening of the port is no event: POLLHUP is absent then. */
        int count = vhci < 0 ? poll(ends, 1, 20) : poll(ends, 2, -1);
        if (count < 0 && errno != EINTR) die("poll");

        if (ends[0].revents & POLLHUP) { /* The other end is closed. */
            if (vhci >= 0) {
                close(vhci);
                vhci = -1;
                while (read(port, inbox, sizeof inbox) > 0) {} /* A partial packet of an unplugged adapter. */
            }
            usleep(20000); /* POLLHUP stays set while the port is closed. */
            continue;
        }
        if (vhci < 0) {
            vhci = plug_in();
            continue;
        }
        if (ends[0].revents & POLLIN) {
            ssize_t n = read(port, inbox + held, sizeof inbox - held);
            if (n > 0) held += (size_t)n;
            if (!deliver(vhci)) {
                close(vhci);
                die("the host does not speak HCI");
            }
        }
        if (vhci >= 0 && ends[1].revents & POLLIN) {
            unsigned char packet[4096];
            ssize_t n = read(vhci, packet, sizeof packet);
            if (n > 0 && packet[0] != H4_VENDOR) write_all(port, packet, (size_t)n); /* Vendor: vhci's own reply. */
        }
    }
}
