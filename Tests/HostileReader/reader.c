#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "HostileReader.h"

// What the C interface of zxing-cpp declares (ZXingC.h), as far as it is used.
extern char **environ;
static const uint8_t *picture;
static char found[64];
static int codes, length;

void *ZXing_ImageView_new(const uint8_t *pixels) {
  picture = pixels;
  return found;
}
void *ZXing_ReaderOptions_new(void) { return found; }
void ZXing_ReaderOptions_setFormats(void) {}
void ZXing_ReaderOptions_setMaxNumberOfSymbols(void) {}
int ZXing_Barcodes_size(void) { return codes; }
const void *ZXing_Barcodes_at(void) { return found; }

uint8_t *ZXing_Barcode_bytes(const void *code, int *count) {
  (void)code;
  *count = length;
  uint8_t *bytes = calloc(1, (size_t)length);
  memcpy(bytes, found, strlen(found));
  return bytes;
}

static void report(void) {
  int known = 0, filled = 0;
  for (char **variable = environ; *variable; variable++) known += (int)strlen(*variable);
  for (void *place; filled < 4096 && (place = malloc(1 << 20)); filled++) memset(place, 1, 1 << 20);
  snprintf(found, sizeof found, "%d %d", known, filled);
  codes = 1;
  length = (int)strlen(found);
}

const void *ZXing_ReadBarcodes(void) {
  int result = 0;
  switch (picture[0]) {
  case hostile_reads: report(); break;
  case hostile_opens_a_file: result = open("/dev/null", O_RDONLY); break;
  case hostile_makes_a_file: result = open("/tmp/hostile-reader", O_CREAT | O_WRONLY, 0600); break;
  case hostile_opens_a_socket: result = socket(AF_INET, SOCK_STREAM, 0); break;
  case hostile_forks: result = fork(); break;
  case hostile_executes: result = execl("/bin/true", "true", (char *)0); break;
  case hostile_kills_its_parent: result = kill(getppid(), SIGURG); break;
  case hostile_maps_its_input: result = mmap(0, 4096, PROT_READ, MAP_SHARED, 0, 0) != MAP_FAILED; break;
  case hostile_takes_a_signal: signal(SIGTERM, SIG_IGN); break;
  case hostile_does_not_end: for (volatile int run = 1; run;) continue;
  case hostile_writes_without_end: while (write(1, found, sizeof found) > 0) continue; break;
  case hostile_crashes: *(volatile char *)8 = (char)result; break;
  case hostile_finds_much:
    codes = 100;
    length = picture[1] ? 5000 : 4000;
    break;
  }
  return found;
}
