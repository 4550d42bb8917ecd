/// Text that reaches the device and nothing else.
///
/// It neither prints, nor encodes, nor shows in a debugger's mirror; whoever needs the text says so with
/// `reveal()`, which stands in very few places.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private let text: String

  /// Hides `text`.
  public init(_ text: String) {
    self.text = text
  }

  /// The text itself: for writing it to a device, checking it, or removing it from somebody else's words.
  public func reveal() -> String { text }

  /// Always `•••`.
  public var description: String { "•••" }
  /// Always `•••`.
  public var debugDescription: String { description }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// Takes secrets out of texts that come from elsewhere (a device's status, the stack's error) before they
/// are recorded. It compares bytes: what joins a character to a secret does not hide it. A text that ends in the
/// beginning of a secret was cut off there, as packets are, and loses that, too.
public struct Redactor: Sendable {
  private let secrets: [[UInt8]]

  /// A redactor of these secrets. Empty ones hide nothing.
  public init(_ secrets: [Secret]) {
    // The longest first, lest a secret that contains another leaves its rest behind.
    self.secrets = Set(secrets.map { Array($0.reveal().utf8) }).filter { !$0.isEmpty }
      .sorted { a, b in a.count != b.count ? a.count > b.count : a.lexicographicallyPrecedes(b) }
  }

  /// `text` with every secret in it replaced by `•••`.
  public func callAsFunction(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let secret = secrets.first(where: { bytes[index...].starts(with: $0) }) {
        result += Array("•••".utf8)
        index += secret.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: withoutBeginning(result), as: UTF8.self)
  }

  /// The fewest bytes at the end of a text that are taken for the beginning of a secret.
  private static let leastBeginning = 4

  private func withoutBeginning(_ bytes: [UInt8]) -> [UInt8] {
    // A character that was cut off became this one.
    let cut = Array("\u{FFFD}".utf8)
    let isCut = bytes.count >= cut.count && bytes.suffix(cut.count) == cut[...]
    let text = isCut ? bytes.dropLast(cut.count) : bytes[...]
    let longest = secrets.map { secret in
      (Self.leastBeginning..<max(secret.count, Self.leastBeginning)).last {
        text.suffix($0) == secret.prefix($0)
      }
        ?? 0
    }.max()
    guard let longest, longest > 0 else { return bytes }
    return text.dropLast(longest) + Array("•••".utf8)
  }
}
