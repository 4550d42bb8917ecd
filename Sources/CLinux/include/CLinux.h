#pragma once

// System calls that Swift does not import, one header per topic. `_GNU_SOURCE` is not defined, because it
// changes Swift's own Glibc module.
#include "wake.h"
#include "child.h"
#include "clocks.h"
#include "wait.h"
#include "process.h"
#include "terminal.h"
#include "socket.h"
