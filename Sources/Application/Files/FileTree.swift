import FoundationEssentials
import Host

/// The files of a computer, as far as facts about it are read from them.
enum FileTree: Sendable, Hashable {
  /// The files below a folder, which takes the place of `/`. An empty path means this computer's root.
  case below(String)
  /// The files that another computer has sent, by path.
  case sent([String: Entry])

  struct Entry: Sendable, Hashable {
    /// Nil for a folder, and for a file that its user cannot read.
    var content: [UInt8]?
    /// The target of a symbolic link.
    var target: String?
    var isReadable = true
  }

  func has(_ path: String) -> Bool {
    switch self {
    case .below(let root): FileManager.default.fileExists(atPath: root + path)
    case .sent(let entries): entries[path] != nil
    }
  }

  /// The names in a folder; nil if there is none, or it cannot be read.
  func names(in path: String) -> [String]? {
    switch self {
    case .below(let root): return try? FileManager.default.contentsOfDirectory(atPath: root + path)
    case .sent(let entries):
      guard entries[path]?.isReadable == true else { return nil }
      return Set(
        entries.keys.lazy.filter { $0.hasPrefix(path + "/") }.compactMap {
          $0.dropFirst(path.count + 1).split(separator: "/").first.map(String.init)
        }
      ).sorted()
    }
  }

  /// The content of a file of up to 1 MiB; nil if it cannot be read.
  func content(of path: String) -> [UInt8]? {
    switch self {
    case .below(let root): InputFile.recorded(root + path, atMost: 1 << 20)
    case .sent(let entries): entries[path]?.content
    }
  }

  /// A file's text without surrounding white space; nil if it cannot be read.
  func text(of path: String) -> String? {
    content(of: path).map { String(decoding: $0, as: UTF8.self).trimmed }
  }

  func target(ofLink path: String) -> String? {
    switch self {
    case .below(let root): try? FileManager.default.destinationOfSymbolicLink(atPath: root + path)
    case .sent(let entries): entries[path]?.target
    }
  }

  /// The last name in a link's target.
  func targetName(ofLink path: String) -> String? {
    target(ofLink: path)?.split(separator: "/").last.map(String.init)
  }
}
