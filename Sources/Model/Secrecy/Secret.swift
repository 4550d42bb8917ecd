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
