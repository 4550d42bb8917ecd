#include <minizip/zip.h>
#include <time.h>
#include <zlib.h>

// An archive that is being written: minizip's `zipFile`, which is a `void *`.
typedef struct cminizip_archive cminizip_archive;

// Makes an archive of the file at a path, which is emptied. NULL when it cannot be opened; errno says why.
static inline cminizip_archive *cminizip_create(const char *path) {
  return (cminizip_archive *)zipOpen64(path, APPEND_STATUS_CREATE);
}

// Begins a file: its name, its time in seconds since 1970 and its permissions. ZIP_OK, or an error.
static inline int cminizip_begin(cminizip_archive *archive, const char *name, time_t modified, unsigned permissions,
                                 int is_large) {
  struct tm time;
  gmtime_r(&modified, &time);
  zip_fileinfo info = {
      .tmz_date = {.tm_sec = (uInt)time.tm_sec,
                   .tm_min = (uInt)time.tm_min,
                   .tm_hour = (uInt)time.tm_hour,
                   .tm_mday = (uInt)time.tm_mday,
                   .tm_mon = (uInt)time.tm_mon,
                   .tm_year = (uInt)time.tm_year + 1900},
      // APPNOTE 4.4.15: of files made on Unix (4.4.2, host 3), `st_mode` is in the upper half.
      .external_fa = (0100000ul | permissions) << 16,
  };
  return zipOpenNewFileInZip4_64((zipFile)archive, name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED,
                                 Z_DEFAULT_COMPRESSION, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, NULL, 0,
                                 3 << 8 | 45, 0, is_large);
}

// Adds to the file that was begun last. ZIP_OK, or an error.
static inline int cminizip_write(cminizip_archive *archive, const void *bytes, unsigned count) {
  return zipWriteInFileInZip((zipFile)archive, bytes, count);
}

// Ends the file that was begun last. ZIP_OK, or an error.
static inline int cminizip_end(cminizip_archive *archive) { return zipCloseFileInZip((zipFile)archive); }

// Ends the archive, and frees it. ZIP_OK, or an error.
static inline int cminizip_close(cminizip_archive *archive) { return zipClose((zipFile)archive, NULL); }
