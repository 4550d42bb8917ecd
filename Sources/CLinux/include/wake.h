#pragma once

/// Creates an eventfd, on which one thread sleeps and by which other threads wake it: non-blocking, closed on
/// exec. Returns -1 with errno set on failure.
int clinux_wake_open(void);

/// Makes the descriptor readable. May be called from any thread, any number of times.
void clinux_wake_signal(int descriptor);

/// Makes the descriptor unreadable again.
void clinux_wake_clear(int descriptor);
