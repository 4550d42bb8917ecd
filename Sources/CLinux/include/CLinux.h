#pragma once

// The few kernel calls that Swift does not import, one header a concern. `_GNU_SOURCE` is not defined here: it
// changes what Swift's own Glibc module looks like.
#include "wake.h"
#include "child.h"
#include "clocks.h"
#include "wait.h"
#include "process.h"
#include "terminal.h"
