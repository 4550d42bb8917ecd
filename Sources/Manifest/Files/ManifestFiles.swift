/// Reads the files that a manifest names under `include` and `rooms_from`.
package struct ManifestFiles: Sendable {
  package struct File: Hashable, Sendable {
    /// The name in messages.
    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// Why a file cannot be read.
  package enum Problem: Error, Hashable, Sendable {
    case missing
    /// The file has more than the maximum number of bytes.
    case tooLarge
    /// The system's error text.
    case unreadable(String)
  }

  package var read: @Sendable (_ path: String, _ maximumBytes: Int) -> Result<File, Problem>

  package init(_ read: @escaping @Sendable (_ path: String, _ maximumBytes: Int) -> Result<File, Problem>) {
    self.read = read
  }
}
