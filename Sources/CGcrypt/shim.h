#include <gcrypt.h>

/* gcry_control has a variable number of arguments, so Swift cannot call it. */

/* Whether libgcrypt is already initialised in this process. */
static inline int cgcrypt_is_initialised(void) {
  return gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P, 0) != 0;
}

/* Finishes the initialisation that gcry_check_version began, without secure memory: no cipher key is stored, and locking
   pages needs a privilege. Returns 0 on success. */
static inline gcry_error_t cgcrypt_finish_initialisation(void) {
  gcry_error_t error = gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  return error ? error : gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

/* The SHA-256 of a part of some bytes: 32 bytes. */
static inline void cgcrypt_sha256_of_part(void *digest, const void *bytes, size_t start, size_t count) {
  gcry_md_hash_buffer(GCRY_MD_SHA256, digest, (const char *)bytes + start, count);
}
