#include <qrencode.h>
#include <string.h>

// The largest symbol, version 40, has this many modules on a side.
enum { cqrencode_longest_side = 177 };

// Encodes bytes as the smallest QR code with error correction M (15 % of it may be damaged). Writes a byte for each module,
// row by row, of which bit 0 is set where the module is dark. Returns the number of modules on a side; 0 if there are too
// many bytes, or no memory.
static inline int cqrencode_symbol(const void *bytes, int count, unsigned char *modules) {
  QRcode *code = QRcode_encodeData(count, (const unsigned char *)bytes, 0, QR_ECLEVEL_M);
  if (!code) return 0;
  int side = code->width;
  memcpy(modules, code->data, (size_t)side * (size_t)side);
  QRcode_free(code);
  return side;
}
