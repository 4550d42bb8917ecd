#pragma once

/// A descriptor that one thread sleeps on and others wake it through: an eventfd, non-blocking and closed on
/// exec. Returns -1 with errno set when there is none.
int clinux_wake_open(void);

/// Makes the descriptor readable. May be called from any thread, any number of times.
void clinux_wake_signal(int descriptor);

/// Makes the descriptor unreadable again.
void clinux_wake_clear(int descriptor);
