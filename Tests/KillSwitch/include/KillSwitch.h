#pragma once

// A library for LD_PRELOAD that kills its process, as kill -9 does, at an instant that no signal from outside could
// hit: in the middle of writing a run's record. It stands between the program and the calls of libc that change
// files, so the program needs no hook for it and does not know of it.
//
// The environment variable KILL_SWITCH says when; without it, nothing happens:
//
//   line KIND N POINT   at the Nth line of this kind in a file named journal.jsonl (counted in this process, from 1):
//                       before_write   nothing of the line is written
//                       amid_write     half of it is
//                       after_write    all of it is
//                       after_sync     the first sync of that file after it has returned
//                       At the first three, the thread that writes is held up before the process dies, the others not.
//   call N              instead of the Nth call that changes a file or directory (counted in this process, from 1).
//                       Those on a journal.jsonl, or on what is no file, do not count.
//
// What cannot be read as one of these ends the process at once with status 70 and words on stderr.
