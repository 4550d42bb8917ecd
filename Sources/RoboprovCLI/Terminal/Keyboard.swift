@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Synchronization
import Waiting

/// Input from stdin.
enum Keyboard {
  /// The result of `reading` for the next line, at the instant of its arrival; for an empty line at the end
  /// of the input, or when cancelled. Blocks no thread of Swift's pool.
  static func line<Answer: Sendable>(_ reading: @escaping @Sendable (String) -> Answer) async -> Answer {
    let answer = OneShot<Answer>()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { @Sendable in
      // A further line belongs to the next question.
      source.cancel()
      answer.fulfill(reading(readLine() ?? ""))
    }
    return await withTaskCancellationHandler {
      defer { source.cancel() }
      source.resume()
      return await answer.valueEvenIfCancelled()
    } onCancel: {
      answer.fulfill(reading(""))
    }
  }

  /// The non-empty lines from now until the end of the input. Some scanners end a line with CR LF. The last
  /// line needs no line end.
  static func lines() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let source = DispatchSource.makeReadSource(
      fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keyboard"))
    let rest = Mutex<[UInt8]>([])
    source.setEventHandler { @Sendable in
      // A closed pipe is reported only once, so its rest is read to the end here.
      while true {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, [EAGAIN, EINTR].contains(errno) { return }
        let ended = rest.withLock { rest -> [ArraySlice<UInt8>] in
          rest += buffer.prefix(max(0, count))
          var lines = rest.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
          let isEnded = count <= 0 || rest.last == UInt8(ascii: "\n") || rest.last == UInt8(ascii: "\r")
          rest = isEnded ? [] : Array(lines.popLast() ?? [])
          // Bounds the memory for input without a line end.
          if rest.count > 1 << 16 { rest = [] }
          return lines
        }
        for line in ended { continuation.yield(String(decoding: line, as: UTF8.self)) }
        if count <= 0 { return continuation.finish() }
        var more = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&more, 1, 0) > 0 else { return }
      }
    }
    continuation.onTermination = { @Sendable _ in source.cancel() }
    source.resume()
    return stream
  }

  /// Discards the input typed before the question.
  static func forgetTyped() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }
}
