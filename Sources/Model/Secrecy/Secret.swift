/// Text that reaches the device and nothing else; or where that text is to be taken from, until somebody has.
///
/// It neither prints, nor encodes, nor shows in a debugger's mirror; whoever needs the text says so with
/// `reveal()`, which stands in very few places.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  private enum Content: Hashable, Sendable {
    case text(String)
    case standIn(String)
    case reference(SecretReference)
  }

  private let content: Content

  private init(_ content: Content) {
    self.content = content
  }

  /// Hides `text`.
  public init(_ text: String) {
    self.init(.text(text))
  }

  /// A secret whose text is not here: the manifest only says where it comes from.
  public init(_ reference: SecretReference) {
    self.init(.reference(reference))
  }

  /// A text that was made up for a secret that is not here, for a virtual device. Nobody can tell by it whether the secret
  /// was changed.
  public static func standIn(_ text: String) -> Secret { Secret(.standIn(text)) }

  /// Where the text is to be taken from; nil when it is here.
  public var reference: SecretReference? {
    if case .reference(let reference) = content { reference } else { nil }
  }

  /// Whether the text is here.
  public var isResolved: Bool { reference == nil }

  /// Whether its text was made up.
  public var isStandIn: Bool {
    if case .standIn = content { true } else { false }
  }

  /// The text where it is the secret's own, which can be compared; nil of a reference and of a stand-in.
  var ownText: String? {
    if case .text(let text) = content { text } else { nil }
  }

  /// The text itself: for writing it to a device, checking it, or removing it from somebody else's words. Only of a
  /// secret that is resolved.
  public func reveal() -> String {
    switch content {
    case .text(let text), .standIn(let text): text
    case .reference: preconditionFailure("a secret is used before it was resolved")
    }
  }

  /// Always `•••`.
  public var description: String { "•••" }
  /// Always `•••`.
  public var debugDescription: String { description }
  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
