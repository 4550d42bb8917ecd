import CLinux
import EventLoop
import Glibc
import Waiting

/// Input from stdin. A thread waits for it with poll(2), which also works for what epoll does not accept:
/// /dev/null, which stdin is after `<&-`, and files.
enum Keyboard {
  /// The result of `reading` for the next line, at the instant of its arrival; for an empty line at the end
  /// of the input, or when cancelled. Blocks no thread of Swift's pool.
  static func line<Answer: Sendable>(_ reading: @escaping @Sendable (String) -> Answer) async -> Answer {
    let answer = OneShot<Answer>()
    let wait = InputWait()
    // A further line belongs to the next question. While `readLine` waits, it holds the lock of stdin, for which `exit` of
    // glibc 2.41 waits.
    onThreadOfItsOwn {
      var bytes: [UInt8] = []
      while bytes.count < longest, let byte = wait.read(atMost: 1)?.first, byte != UInt8(ascii: "\n") {
        bytes.append(byte)
      }
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      answer.fulfill(reading(String(decoding: bytes, as: UTF8.self)))
    }
    return await withTaskCancellationHandler {
      defer { wait.cancel() }
      return await answer.valueEvenIfCancelled()
    } onCancel: {
      answer.fulfill(reading(""))
    }
  }

  /// The maximum length of a line, in bytes. Input without line ends ends after that.
  private static let longest = 1 << 16

  /// The non-empty lines from now until the end of the input. Some scanners end a line with CR LF. The last
  /// line needs no line end.
  static func lines() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let wait = InputWait()
    continuation.onTermination = { @Sendable _ in wait.cancel() }
    onThreadOfItsOwn {
      var rest: [UInt8] = []
      while let bytes = wait.read(atMost: 4096) {
        rest += bytes
        var lines = rest.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let isEnded = bytes.isEmpty || rest.last == UInt8(ascii: "\n") || rest.last == UInt8(ascii: "\r")
        rest = isEnded ? [] : Array(lines.popLast() ?? [])
        for line in lines { continuation.yield(String(decoding: line, as: UTF8.self)) }
        if bytes.isEmpty || rest.count > longest { break }
      }
      continuation.finish()
    }
    return stream
  }

  /// Asks a question. Any answer except `y` or `yes`, and a cancelled task, is a no.
  static func confirms(_ question: String) async -> Bool {
    Console.ask("\(question) [y/N] ")
    return ["y", "yes"].contains(await line { $0 }.lowercased())
  }

  /// Discards the input typed before the question.
  static func forgetTyped() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }
}

/// A wait of one thread for stdin, which another thread can end.
private final class InputWait: Sendable {
  private let wake = clinux_wake_open()

  deinit { if wake >= 0 { close(wake) } }

  /// Waits until stdin has something to read or has ended.
  /// - Returns: False once the wait is cancelled.
  private func isReady() -> Bool {
    var wanted = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&wanted, 2, -1) <= 0 {}
    return wanted[1].revents == 0
  }

  /// Waits for input, and reads it.
  /// - Returns: Nothing at the end of the input; nil once the wait is cancelled.
  func read(atMost count: Int) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: count)
    while isReady() {
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, [EAGAIN, EINTR].contains(errno) { continue }
      return Array(buffer.prefix(max(0, count)))
    }
    return nil
  }

  func cancel() { clinux_wake_signal(wake) }
}
