#include "CPhoto.h"

#include <dlfcn.h>
#include <elf.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: zxing-cpp

enum { lightness = 0x01000000, code_128 = 1 << 4, data_matrix = 1 << 7, qr = 1 << 13 };

// Its C functions, since 2.2 (Debian 13).
static struct {
  void *(*view)(const uint8_t *pixels, int width, int height, int format, int row, int pixel);
  void *(*options)(void);
  void (*set_formats)(void *options, int formats);
  void (*set_most)(void *options, int count);
  void *(*read)(const void *view, const void *options);
  int (*count)(const void *codes);
  const void *(*at)(const void *codes, int index);
  uint8_t *(*bytes)(const void *code, int *length);
} c;

// The C++ functions of 1.4 (Debian 12), which has no others, with its types as a 64-bit processor has them.
typedef struct {
  const uint8_t *begin, *end, *limit;
} cxx_vector;
typedef struct {
  const uint8_t *pixels;
  int format, width, height, pixel, row;
} cxx_view;
typedef struct {
  uint8_t flags[2], least_lines, most, factor;
  uint16_t threshold;
  int formats;
  struct {
    const char *begin;
    size_t length;
    char own[16];
  } character_set;
} cxx_options;
enum { cxx_code_size = 360, harder = 1, rotated = 2, smaller = 4 };
_Static_assert(sizeof(cxx_view) == 32 && sizeof(cxx_options) == 48, "types of zxing-cpp 1.4");

static struct {
  cxx_vector (*read)(const cxx_view *, const cxx_options *);
  const cxx_vector *(*bytes)(const void *code);
} cxx;

static bool load(void) {
  void *library = dlopen("libZXing.so.3", RTLD_NOW | RTLD_LOCAL);
#define FIND(function, name) (function = (__typeof__(function))dlsym(library, name))
  if (library)
    return FIND(c.view, "ZXing_ImageView_new") && FIND(c.options, "ZXing_ReaderOptions_new") &&
           FIND(c.set_formats, "ZXing_ReaderOptions_setFormats") &&
           FIND(c.set_most, "ZXing_ReaderOptions_setMaxNumberOfSymbols") && FIND(c.read, "ZXing_ReadBarcodes") &&
           FIND(c.count, "ZXing_Barcodes_size") && FIND(c.at, "ZXing_Barcodes_at") &&
           FIND(c.bytes, "ZXing_Barcode_bytes");
  library = dlopen("libZXing.so.2", RTLD_NOW | RTLD_LOCAL);
  return library && FIND(cxx.read, "_ZN5ZXing12ReadBarcodesERKNS_9ImageViewERKNS_11DecodeHintsE") &&
         FIND(cxx.bytes, "_ZNK5ZXing6Result5bytesEv");
}

static uint8_t answer[cphoto_most_texts * (2 + cphoto_longest_text)];
static size_t answer_length;

// Adds a text that is not yet in the answer.
static void add(const uint8_t *text, size_t length) {
  uint16_t announced = (uint16_t)length;
  if (!text || !length || length > cphoto_longest_text || answer_length + 2 + length > sizeof answer) return;
  for (size_t at = 0; at < answer_length;) {
    uint16_t other;
    memcpy(&other, answer + at, 2);
    if (other == announced && memcmp(answer + at + 2, text, length) == 0) return;
    at += 2 + (size_t)other;
  }
  memcpy(answer + answer_length, &announced, 2);
  memcpy(answer + answer_length + 2, text, length);
  answer_length += 2 + length;
}

static void look_cxx(const uint8_t *pixels, int width, int height, int row, int formats, int flags) {
  cxx_view view = {pixels, lightness, width, height, 1, row};
  cxx_options options = {{flags | harder | rotated}, 2, cphoto_most_texts, 3, 500, formats, {0}};
  options.character_set.begin = options.character_set.own;
  cxx_vector codes = cxx.read(&view, &options);
  for (const uint8_t *code = codes.begin; code < codes.end; code += cxx_code_size) {
    const cxx_vector *text = cxx.bytes(code);
    add(text->begin, (size_t)(text->end - text->begin));
  }
}

// Looks for codes in a picture as it is.
static void look(const uint8_t *pixels, int width, int height, int formats) {
  if (c.read) {
    void *options = c.options();
    c.set_formats(options, formats);
    c.set_most(options, cphoto_most_texts);
    const void *codes = c.read(c.view(pixels, width, height, lightness, width, 1), options);
    for (int i = 0, length = 0; codes && i < c.count(codes); i++) {
      const uint8_t *text = c.bytes(c.at(codes, i), &length);
      add(text, (size_t)length);
    }
    return;
  }
  // It fails an assertion when it finds a bar code in two sizes.
  look_cxx(pixels, width, height, width, code_128, 0);
  if (formats & qr) look_cxx(pixels, width, height, width, qr, smaller);
  if (!(formats & data_matrix)) return;
  // It looks for a DataMatrix only along the middle of a picture, so each place becomes the middle of one.
  const int step = 24;
  for (int y = step; y < height; y += step) {
    int half = y < height - y ? y : height - y;
    look_cxx(pixels + (size_t)(y - half) * width, width, 2 * half, width, data_matrix, 0);
  }
  for (int x = step; x < width; x += step) {
    int half = x < width - x ? x : width - x;
    look_cxx(pixels + x - half, 2 * half, height, width, data_matrix, 0);
  }
}

// Makes the darkest hundredth of the pixels black, and the lightest white.
static void stretch(uint8_t *pixels, size_t count) {
  size_t number[256] = {0}, under = 0;
  for (size_t i = 0; i < count; i++) number[pixels[i]]++;
  int dark = 0, light = 255;
  while (dark < light && (under += number[dark]) < count / 100) dark++;
  under = 0;
  while (light > dark && (under += number[light]) < count / 100) light--;
  for (size_t i = 0; i < count && light > dark; i++) {
    int value = (pixels[i] - dark) * 255 / (light - dark);
    pixels[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
  }
}

// The mean of each four pixels, for a picture with noise.
static uint8_t *halved(const uint8_t *pixels, int width, int height) {
  uint8_t *half = malloc((size_t)(width / 2) * (height / 2) + 1), *next = half;
  for (int y = 0; half && y + 1 < height; y += 2)
    for (int x = 0; x + 1 < width; x += 2) {
      const uint8_t *at = pixels + (size_t)y * width + x;
      *next++ = (uint8_t)((at[0] + at[1] + at[width] + at[width + 1]) / 4);
    }
  return half;
}

// The picture turned by a multiple of 15°, and blurred a little from top to bottom, along the bars that are then upright.
static uint8_t *turned(const uint8_t *pixels, int *width, int *height, int multiple) {
  static const double sines[] = {0, 0.258819, 0.5,      0.707107, 0.866025, 0.965926,
                                 1, 0.965926, 0.866025, 0.707107, 0.5,      0.258819};
  double sine = sines[multiple], cosine = multiple < 6 ? sines[6 - multiple] : -sines[multiple - 6];
  double size = cosine < 0 ? -cosine : cosine;
  int wide = (int)(*width * size + *height * sine) + 1, high = (int)(*width * sine + *height * size) + 1;
  uint8_t *turned = malloc((size_t)wide * high), *next = turned;
  for (int y = 0; turned && y < high; y++)
    for (int x = 0; x < wide; x++) {
      int sum = 0;
      for (int row = -3; row <= 3; row += 2) {
        double dx = x - wide / 2, dy = y - high / 2 + row;
        double from_x = *width / 2 + cosine * dx + sine * dy, from_y = *height / 2 + cosine * dy - sine * dx;
        int column = (int)from_x, line = (int)from_y;
        sum += from_x < 0 || from_y < 0 || column >= *width || line >= *height ? 255 : pixels[(size_t)line * *width + column];
      }
      *next++ = (uint8_t)(sum / 4);
    }
  *width = wide;
  *height = high;
  return turned;
}

static void read_codes(uint8_t *pixels, int width, int height) {
  enum { every = code_128 | data_matrix | qr };
  look(pixels, width, height, every);
  if (answer_length) return;
  uint8_t *other = halved(pixels, width, height);
  if (other) look(other, width / 2, height / 2, every);
  free(other);
  stretch(pixels, (size_t)width * height);
  for (int multiple = 0; !answer_length && multiple < 12; multiple++) {
    int wide = width, high = height;
    if ((other = turned(pixels, &wide, &high, multiple))) look(other, wide, high, code_128);
    free(other);
  }
}

// MARK: Its rights

static bool confine(void) {
  static const struct {
    int of;
    rlim_t most;
  } limits[] = {
      {RLIMIT_AS, 512 << 20}, {RLIMIT_CPU, 10}, {RLIMIT_FSIZE, 0}, {RLIMIT_NOFILE, 0}, {RLIMIT_NPROC, 0},
  };
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (setrlimit(limits[i].of, &(struct rlimit){limits[i].most, limits[i].most}) != 0) return false;

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (count))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOWED(call) SKIP_UNLESS(call, 1), ALLOW
  // The processor is that of this program.
  extern const Elf64_Ehdr __ehdr_start;
  struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __ehdr_start.e_machine | __AUDIT_ARCH_64BIT | __AUDIT_ARCH_LE, 1, 0),
      KILL,
      LOAD(nr),
      ALLOWED(SYS_read), ALLOWED(SYS_write), ALLOWED(SYS_exit_group), ALLOWED(SYS_brk), ALLOWED(SYS_munmap),
      ALLOWED(SYS_mremap), ALLOWED(SYS_madvise), ALLOWED(SYS_clock_gettime), ALLOWED(SYS_futex),
      // Memory without a file.
      SKIP_UNLESS(SYS_mmap, 3), LOAD(args[4]), ALLOWED(UINT32_MAX),
      KILL,
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// MARK: The process

static bool receive(void *place, size_t length) {
  for (size_t got = 0; got < length;) {
    ssize_t count = read(0, (char *)place + got, length - got);
    if (count <= 0) return false;
    got += (size_t)count;
  }
  return true;
}

_Noreturn void cphoto_read(void) {
  if (!load()) _exit(cphoto_missing);
  // The environment may have passwords.
  extern char **environ;
  for (char **variable = environ; *variable; variable++) memset(*variable, 0, strlen(*variable));
  if (!confine()) _exit(cphoto_unconfined);

  cphoto_size size;
  uint8_t rest;
  if (!receive(&size, sizeof size) || !size.width || !size.height || size.width > cphoto_longest_side ||
      size.height > cphoto_longest_side || size.width * size.height > cphoto_most_pixels)
    _exit(cphoto_refused);
  size_t count = (size_t)size.width * size.height;
  uint8_t *pixels = malloc(count);
  if (!pixels || !receive(pixels, count) || receive(&rest, 1)) _exit(cphoto_refused);
  read_codes(pixels, (int)size.width, (int)size.height);
  for (size_t sent = 0; sent < answer_length;) {
    ssize_t written = write(1, answer + sent, answer_length - sent);
    if (written <= 0) break;
    sent += (size_t)written;
  }
  _exit(cphoto_done);
}
