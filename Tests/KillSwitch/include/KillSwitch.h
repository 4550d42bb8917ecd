#pragma once

// A library for LD_PRELOAD that kills its process, as kill -9 does, at an instant that no external signal can hit: while
// the process writes a run's record. It wraps the libc functions that change files, so the program needs no hook.
//
// The environment variable KILL_SWITCH sets the instant; without it, the library does nothing:
//
//   line KIND N POINT   at the Nth line of this kind in a file named journal.jsonl (counted per process, from 1):
//                       before_write   nothing of the line is written
//                       amid_write     half of the line is written
//                       after_write    the whole line is written
//                       after_sync     the next sync of that file has returned
//                       In the first three cases the writing thread sleeps before the process dies; the others continue.
//   call N              instead of the Nth call that changes a file or directory (counted per process, from 1).
//                       Calls on a journal.jsonl, or on anything but a file or directory, do not count.
//
// Any other value ends the process at once with status 70 and a message on stderr.
