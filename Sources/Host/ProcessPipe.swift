import CLinux
package import FoundationEssentials
import Glibc

/// Both ends of a pipe, closed on exec. Reading does not block.
package final class ProcessPipe {
  package private(set) var reading: Int32
  package private(set) var writing: Int32
  private var hasEnded = false

  package init() throws(POSIXError) {
    var ends: [Int32] = [-1, -1]
    guard clinux_pipe(&ends) == 0 else { throw POSIXError.last }
    (reading, writing) = (ends[0], ends[1])
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
  }

  package func closeWriting() {
    if writing >= 0 { Glibc.close(writing) }
    writing = -1
  }

  package func close() {
    closeWriting()
    if reading >= 0 { Glibc.close(reading) }
    reading = -1
  }

  /// Appends what is there now, up to a total.
  /// - Returns: Whether more may follow.
  package func read(into bytes: inout [UInt8], atMost limit: Int) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while !hasEnded, bytes.count < limit {
      let count = Glibc.read(reading, &buffer, min(buffer.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return true }
      if count <= 0 { hasEnded = true } else { bytes += buffer[..<count] }
    }
    return !hasEnded
  }

  /// Waits until one of the pipes has something to read or has ended, for at most 50 ms; without pipes it waits 50 ms.
  package static func wait(for pipes: [ProcessPipe]) {
    // poll(2) skips descriptors below 0.
    var wanted = pipes.map { pollfd(fd: $0.hasEnded ? -1 : $0.reading, events: Int16(POLLIN), revents: 0) }
    poll(&wanted, nfds_t(wanted.count), 50)
  }
}
