#include <glib.h>
#include <stdint.h>

// A time zone of the system's database, for the rest of the process: a GTimeZone, which does not change, so that any thread may
// read it. Without an identifier that of this computer, or of TZ; 0 if there is none of this name.
static inline uintptr_t cglib_zone(const char *identifier) {
  return (uintptr_t)(identifier ? g_time_zone_new_identifier(identifier) : g_time_zone_new_local());
}

// The name of a time zone: `Europe/Berlin`.
static inline const char *cglib_identifier(uintptr_t zone) { return g_time_zone_get_identifier((GTimeZone *)zone); }

// How many seconds a zone is ahead of UTC at an instant, in seconds since 1970.
static inline int cglib_offset(uintptr_t zone, int64_t at) {
  return g_time_zone_get_offset((GTimeZone *)zone, g_time_zone_find_interval((GTimeZone *)zone, G_TIME_TYPE_UNIVERSAL, at));
}
