#include "CCommit.h"

// A target of its own, which only `roboprov` imports: another commit compiles this line again and nothing else.
const char *roboprov_commit(void) { return ROBOPROV_COMMIT; }
