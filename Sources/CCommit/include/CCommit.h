#ifndef CCOMMIT_H
#define CCOMMIT_H

/// The commit that was built, as Scripts/build asked git for it; "unknown" in a build of another kind.
const char *roboprov_commit(void);

#endif
