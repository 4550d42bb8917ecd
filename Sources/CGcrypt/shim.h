#include <gcrypt.h>

/* gcry_control takes as many arguments as its command needs, which Swift cannot call. */

/* Whether somebody in this process has initialised libgcrypt already. */
static inline int cgcrypt_is_initialised(void) {
  return gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P, 0) != 0;
}

/* Ends the initialisation that gcry_check_version began. Without secure memory: no key of a cipher is kept, and locking
   pages takes a privilege. Zero when it could be done. */
static inline gcry_error_t cgcrypt_finish_initialisation(void) {
  gcry_error_t error = gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  return error ? error : gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}
