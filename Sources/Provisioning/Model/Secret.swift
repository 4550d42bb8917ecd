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
/// are recorded.
public struct Redactor: Sendable {
  private let secrets: [String]

  /// A redactor of these secrets. Empty ones hide nothing.
  public init(_ secrets: [Secret]) {
    // The longest first, lest a secret that contains another leaves its rest behind.
    self.secrets = Set(secrets.map { $0.reveal() }).filter { !$0.isEmpty }
      .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  /// `text` with every secret in it replaced by `•••`.
  public func callAsFunction(_ text: String) -> String {
    secrets.reduce(text) { $0.replacing($1, with: "•••") }
  }
}
