package import Bluetooth

/// An adapter as the operator refers to it: by its present name on the host, `hci0`, or by its address, which
/// is stable.
package struct AdapterReference: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The reference as written.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  /// Whether the reference means this adapter.
  package func names(_ adapter: Adapter) -> Bool {
    text == adapter.name || BluetoothAddress(text) == adapter.id.address
  }
}

/// The manifest's description of an adapter.
package struct AdapterDescription: Hashable, Sendable {
  package var reference: AdapterReference
  /// The name in the manifest, by which rooms and options can refer to it.
  package var alias: String?
  /// The most links at once, 1…20.
  package var slots: Int?
  /// The location, as text.
  package var place: String?

  /// `lobby, Ground floor`; nil without name and place.
  package var title: String? {
    let parts = [alias, place].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  package init(_ reference: AdapterReference, alias: String? = nil, slots: Int? = nil, place: String? = nil) {
    (self.reference, self.alias, self.slots, self.place) = (reference, alias, slots, place)
  }
}

extension [AdapterReference] {
  /// Whether an adapter is among those to use; all are when the list is empty.
  package func want(_ adapter: Adapter) -> Bool {
    isEmpty || contains { $0.names(adapter) }
  }
}
