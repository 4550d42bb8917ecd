#pragma once

#include <stdint.h>

// The process that reads the codes in one grey picture by zxing-cpp, and its protocol.

enum {
  /// The most pixels of a picture, and of one of its sides.
  cphoto_most_pixels = 2000000,
  cphoto_longest_side = 8192,
  /// The most texts of an answer, and the most bytes of one: what the largest QR code holds.
  cphoto_most_texts = 16,
  cphoto_longest_text = 4296,
};

/// How the process ends.
enum {
  cphoto_done = 0,
  /// zxing-cpp is not installed.
  cphoto_missing = 40,
  /// The kernel did not take its rights away.
  cphoto_unconfined,
  /// It is no picture, or a larger one.
  cphoto_refused,
};

/// Precedes the pixels on stdin, which are one byte each, row by row, 0 for black. Then stdin ends.
typedef struct {
  uint32_t width, height;
} cphoto_size;

/// Makes this process, which has one thread, read the QR codes, DataMatrix and Code 128 of one picture on stdin, write each text
/// to stdout behind its length in bytes (`uint16_t`), and exit. Before it looks at the picture it gives up all that the work
/// does not need: it can open nothing, start nothing, reach no other process, and has bounded memory and processor time.
_Noreturn void cphoto_read(void);
