#pragma once

// A library in the place of zxing-cpp, for the process that reads photos. Its first pixel says what it does, as the input that breaks
// a library might have it do:
enum hostile_deed {
  /// Finds what the process still knows: the bytes of its environment that are not 0, and the MiB that it can fill.
  hostile_reads,
  hostile_opens_a_file,
  hostile_makes_a_file,
  hostile_opens_a_socket,
  hostile_forks,
  hostile_executes,
  hostile_kills_its_parent,
  hostile_maps_its_input,
  hostile_takes_a_signal,
  hostile_does_not_end,
  hostile_writes_without_end,
  /// Crashes.
  hostile_crashes,
  /// Finds a code that is longer than any, and 100 codes.
  hostile_finds_much,
};
