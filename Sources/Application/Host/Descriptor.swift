import FoundationEssentials
import Glibc

/// System calls on file descriptors that must be repeated.
enum Descriptor {
  /// Writes all bytes to a descriptor.
  /// - Throws: The system's error; a part may be written then.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(POSIXError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(1 << 20))
      let count = Glibc.write(descriptor, part, part.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw POSIXError.last
      }
      rest = rest.dropFirst(count)
    }
  }
}
