import Foundation

/// A child process whose resource use is measured from its first instruction to its last.
struct Child {
  private let id: pid_t
  /// The process reads end of file when this is closed.
  private let input: FileHandle

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Starts a program.
  /// - Parameters:
  ///   - output: the destination of its standard output.
  ///   - environment: variables in addition to the environment of this process.
  static func start(
    _ program: String, _ arguments: [String], output: FileHandle,
    environment: [String: String] = [:]
  ) throws -> Child {
    let pipe = Pipe()
    let null = try FileHandle(forWritingTo: URL(filePath: "/dev/null"))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output.fileDescriptor, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, null.fileDescriptor, STDERR_FILENO)
    posix_spawn_file_actions_addclose(&actions, pipe.fileHandleForWriting.fileDescriptor)
    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    var texts = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (words + texts).forEach { free($0) } }
    var id = pid_t()
    let failure = posix_spawn(&id, program, &actions, nil, &words, &texts)
    guard failure == 0 else {
      throw Failure(description: "\(program): \(String(cString: strerror(failure)))")
    }
    return Child(id: id, input: pipe.fileHandleForWriting)
  }

  /// Closes standard input and waits for the end of the process.
  /// - Returns: the CPU time that it used, user and system, in seconds, and its maximum resident memory.
  func ended() throws -> (status: Int32, cpu: Double, peakMegabytes: Double) {
    try input.close()
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0 {
      guard errno == EINTR else { throw Failure(description: "it cannot be waited for") }
    }
    let seconds = [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }
    // Linux reports it in KiB.
    let peak = Double(usage.ru_maxrss) * 1024 / 1e6
    return ((status >> 8) & 0xFF, seconds.reduce(0, +), peak)
  }
}
