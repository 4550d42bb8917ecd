package import FoundationEssentials
import Glibc

/// System calls on file descriptors that must be repeated.
package enum Descriptor {
  /// Writes all bytes to a descriptor; waits while it is not ready.
  /// - Throws: The system's error; a part may be written then.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(POSIXError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(1 << 20))
      let count = Glibc.write(descriptor, part, part.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wanted, 1, -1)
      default: throw POSIXError.last
      }
    }
  }
}
