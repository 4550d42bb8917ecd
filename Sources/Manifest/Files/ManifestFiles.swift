/// How the files are read that a manifest names: `include` and `rooms_from`.
public struct ManifestFiles: Sendable {
  /// A file that was read.
  public struct File: Hashable, Sendable {
    /// Its name in messages.
    public var name: String
    /// What is in it.
    public var bytes: [UInt8]

    /// A file.
    public init(name: String, bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }
  }

  /// Why a file cannot be read.
  public enum Problem: Error, Hashable, Sendable {
    /// There is none.
    case missing
    /// It has more bytes than are allowed.
    case tooLarge
    /// The system's words.
    case unreadable(String)
  }

  /// Reads the file at a path as the manifest has it: relative to the manifest.
  public var read: @Sendable (_ path: String, _ maximumBytes: Int) -> Result<File, Problem>

  /// A way to read files.
  public init(_ read: @escaping @Sendable (_ path: String, _ maximumBytes: Int) -> Result<File, Problem>) {
    self.read = read
  }
}
