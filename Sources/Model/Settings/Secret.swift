import Hex

/// Text that only the device may get; or a reference to such text, until it is resolved.
///
/// It does not print, encode, or appear in a mirror; code that needs the text calls `reveal()`, which few
/// places do.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
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

  package init(_ text: String) {
    self.init(.text(text))
  }

  /// A secret that the manifest only refers to.
  package init(_ reference: SecretReference) {
    self.init(.reference(reference))
  }

  /// A generated text for a secret that is not resolved, for a virtual device. It cannot show whether the
  /// secret changed.
  package static func standIn(_ text: String) -> Secret { Secret(.standIn(text)) }

  /// The source of the text; nil once it is resolved.
  package var reference: SecretReference? {
    if case .reference(let reference) = content { reference } else { nil }
  }

  package var isResolved: Bool { reference == nil }

  /// This secret; if it comes from a file of labels, from the label of this device.
  func onLabel(of device: String?) -> Secret {
    guard var reference, case .labels(let path, _, let setting) = reference.source else { return self }
    reference.source = .labels(path, device: device, setting: setting)
    return Secret(reference)
  }

  package var isStandIn: Bool {
    if case .standIn = content { true } else { false }
  }

  /// The secret's own text, which can be compared; nil for a reference and for a stand-in.
  var ownText: String? {
    if case .text(let text) = content { text } else { nil }
  }

  /// The text itself: for writing it to a device, checking it, or redacting it. The secret must be resolved.
  package func reveal() -> String {
    switch content {
    case .text(let text), .standIn(let text): text
    case .reference: preconditionFailure("a secret is used before it was resolved")
    }
  }

  private static let hexPrefix = "hex:"

  /// Whether the text has bytes in hexadecimal after `hex:`.
  package var isHex: Bool { reveal().hasPrefix(Self.hexPrefix) }

  /// The bytes that the text stands for: after `hex:` those of its digits, between which there may be spaces and colons;
  /// otherwise its own. Nil after `hex:` for anything else than whole bytes.
  package var bytes: [UInt8]? {
    let text = reveal()
    guard isHex else { return Array(text.utf8) }
    return [UInt8](hex: text.dropFirst(Self.hexPrefix.count).filter { $0 != " " && $0 != ":" })
  }

  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
