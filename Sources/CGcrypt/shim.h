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
