@preconcurrency import Dispatch
import Foundation
import Synchronization
import Waiting

/// What the person at the terminal types.
enum Keyboard {
  /// What `reading` makes of the next line, in the instant in which it was there: an empty one at the input's end, or
  /// when cancelled. Blocks none of Swift's threads.
  static func line<Answer: Sendable>(_ reading: @escaping @Sendable (String) -> Answer) async -> Answer {
    let answer = OneShot<Answer>()
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { @Sendable in answer.fulfill(reading(readLine() ?? "")) }
    return await withTaskCancellationHandler {
      defer { source.cancel() }
      source.resume()
      return await answer.valueEvenIfCancelled()
    } onCancel: {
      answer.fulfill(reading(""))
    }
  }

  /// The lines that are typed from now on until the input's end, without empty ones: some scanners end a line with CR LF. The
  /// last need not be ended.
  static func lines() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let source = DispatchSource.makeReadSource(
      fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keyboard"))
    let rest = Mutex<[UInt8]>([])
    source.setEventHandler { @Sendable in
      // A pipe whose other end is closed is told of once: its end is read with what is in it.
      while true {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, [EAGAIN, EINTR].contains(errno) { return }
        let ended = rest.withLock { rest -> [ArraySlice<UInt8>] in
          rest += buffer.prefix(max(0, count))
          var lines = rest.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
          let isEnded = count <= 0 || rest.last == UInt8(ascii: "\n") || rest.last == UInt8(ascii: "\r")
          rest = isEnded ? [] : Array(lines.popLast() ?? [])
          // Nobody types as much without end.
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

  /// Forgets what was typed before anybody was asked.
  static func forgetTyped() {
    tcflush(STDIN_FILENO, TCIFLUSH)
  }
}
