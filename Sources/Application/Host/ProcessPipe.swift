import CLinux
import FoundationEssentials
import Glibc

/// Both ends of a pipe, closed on exec.
struct ProcessPipe {
  let reading: Int32
  let writing: Int32

  init() throws(POSIXError) {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else { throw POSIXError.last }
    (reading, writing) = (ends[0], ends[1])
  }

  func close() {
    Glibc.close(reading)
    Glibc.close(writing)
  }

  /// Reads several pipes to their ends at once, so that no writer waits for a reader of another; closes them.
  static func contents(of pipes: [ProcessPipe]) -> [[UInt8]] {
    for pipe in pipes { Glibc.close(pipe.writing) }
    var texts = pipes.map { _ in [UInt8]() }
    // poll(2) skips descriptors below 0.
    var waiting = pipes.map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while waiting.contains(where: { $0.fd >= 0 }) {
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { continue }
      for index in waiting.indices where waiting[index].revents != 0 {
        let count = read(waiting[index].fd, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count > 0 { texts[index] += buffer[..<count] } else { waiting[index].fd = -1 }
      }
    }
    for pipe in pipes { Glibc.close(pipe.reading) }
    return texts
  }
}
