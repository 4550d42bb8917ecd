#include <string.h>
#include <zlib.h>

// Inflates raw deflate data, as a ZIP archive has it. Returns 1 if it is exactly `size` bytes with this CRC-32.
static inline int czlib_inflate(const void *packed, unsigned count, void *bytes, unsigned size, unsigned long crc) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return 0;
  stream.next_in = (Bytef *)packed;
  stream.avail_in = count;
  stream.next_out = (Bytef *)bytes;
  stream.avail_out = size;
  int status = inflate(&stream, Z_FINISH);
  int is_whole = status == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  return is_whole && crc32(0, (const Bytef *)bytes, size) == crc;
}
